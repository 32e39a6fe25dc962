import type { CommandClass } from '../core/command-class.js'
import { isOperand, type Word } from './words.js'

/** The effects of a program: a row of a table. */
export interface Rule {
  readonly is: CommandClass | readonly CommandClass[]
  /** The predicate of a sentence whose subject is the command, such as "deletes files". */
  readonly does: string
  /** Additional effects of options or operands. */
  readonly additions?: readonly Variant[]
  /** Effects that replace those above. These options count only when they are spelt in full. */
  readonly instead?: readonly Variant[]
  readonly subcommands?: Subcommands
  /** Judged by its own code instead of the fields above. */
  readonly own?: Own
}

export type Own = 'eval' | 'find' | 'sed' | 'awk' | 'trap' | 'runner' | 'sql' | 'variables' | 'git-config'

export interface Variant {
  /** Options, as `-f --force`. */
  readonly options?: string
  /** Matches an operand. */
  readonly words?: RegExp
  /** Least number of operands. */
  readonly count?: number
  readonly is: CommandClass | readonly CommandClass[]
  readonly does: string
}

/** The subcommands of a program: `git log`, `npm install`. */
export interface Subcommands {
  /** Options before the subcommand with a value in the next word, separated by spaces. */
  readonly values: string
  /** Options before the subcommand without a value. Any other option makes the command `other`. */
  readonly flags: string
  readonly table: ReadonlyMap<string, Rule>
  /** The effects without a subcommand. */
  readonly bare?: Rule
}

export type Table = ReadonlyMap<string, Rule>

type Row = readonly (readonly [string, Rule])[]

/** Rows for programs with equal effects. @param names separated by spaces. */
export function rowsFor(names: string, is: Rule['is'], does: string, rest: Omit<Rule, 'is' | 'does'> = {}): Row {
  return names.split(' ').map((name) => [name, { is, does, ...rest }] as const)
}

export function table(...rows: readonly Row[]): Table {
  return new Map(rows.flat())
}

export function on(options: string, is: Variant['is'], does: string): Variant {
  return { options, is, does }
}

export function onWord(words: RegExp, is: Variant['is'], does: string): Variant {
  return { words, is, does }
}

export function atLeast(count: number, is: Variant['is'], does: string): Variant {
  return { count, is, does }
}

/** Errs towards a match: clusters, attached values and abbreviated long options count. */
function isOption(word: string, option: string): boolean {
  if (word === option) return true
  if (!word.startsWith('-')) return false
  if (option.startsWith('--')) {
    const name = word.split('=')[0] ?? ''
    return name.length > 2 && option.startsWith(name)
  }
  if (option.length === 2) return !word.startsWith('--') && word.includes(option.slice(1))
  return word.startsWith(`${option}=`)
}

export function applies(variant: Variant, words: readonly Word[]): boolean {
  const texts = words.map(({ text, lead }) => text ?? lead)
  if (variant.options !== undefined) {
    const options = variant.options.split(' ')
    return texts.some((each) => options.some((option) => isOption(each, option)))
  }
  const end = texts.indexOf('--')
  const operands = texts.filter((each, at) => !each.startsWith('-') || each === '-' || (end >= 0 && at > end))
  if (variant.count !== undefined) return operands.length >= variant.count
  return operands.some((each) => variant.words?.test(each) === true)
}

/** Whether a variant replaces the rule: it must be the first word, spelt in full, with no later `--no-…`. */
export function replaces(variant: Variant, words: readonly Word[]): boolean {
  const [first, ...others] = words
  if (first?.text === undefined || others.some(({ text, lead }) => (text ?? lead).startsWith('--no-'))) return false
  if (variant.options !== undefined) return variant.options.split(' ').includes(first.text)
  return others.length === 0 && variant.words?.test(first.text) === true
}

/** A word that may expand to an option. */
export function possibleOption(words: readonly Word[]): Word | undefined {
  return words.find((each) => each.text === undefined && !isOperand(each))
}
