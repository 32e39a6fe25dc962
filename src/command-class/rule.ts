import type { CommandClass } from '../core/command-class.js'
import { isOperand, type Word } from './words.js'

/** What a program does, as a row of a table. */
export interface Rule {
  readonly is: CommandClass | readonly CommandClass[]
  /** "deletes files": ends a sentence that begins with the part. */
  readonly does: string
  /** What it does besides where an option or a word is there. */
  readonly additions?: readonly Variant[]
  /** What it does instead. These options count only where they are spelt out. */
  readonly instead?: readonly Variant[]
  readonly subcommands?: Subcommands
  /** Judged by code of its own, in place of all above. */
  readonly own?: Own
}

export type Own = 'eval' | 'find' | 'sed' | 'awk' | 'trap' | 'runner' | 'sql' | 'variables' | 'git-config'

export interface Variant {
  /** Options, as `-f --force`. */
  readonly options?: string
  /** Of a word that is no option. */
  readonly words?: RegExp
  /** So many words that are no options, or more. */
  readonly count?: number
  readonly is: CommandClass | readonly CommandClass[]
  readonly does: string
}

/** A program that is several: `git log`, `npm install`. */
export interface Subcommands {
  /** Options before the subcommand that take the next word as their value. */
  readonly values: string
  /** Those that stand alone. Any other says that nobody can tell. */
  readonly flags: string
  readonly table: ReadonlyMap<string, Rule>
  /** Without a subcommand. */
  readonly bare?: Rule
}

export type Table = ReadonlyMap<string, Rule>

type Row = readonly (readonly [string, Rule])[]

/** Rows for programs that behave alike; names are parted by spaces. */
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

/** Told too often rather than too seldom: in clusters, with a value in the same word, and cut short as far as may be. */
function isOption(given: string, option: string): boolean {
  if (given === option) return true
  if (!given.startsWith('-')) return false
  if (option.startsWith('--')) {
    const name = given.split('=')[0] ?? ''
    return name.length > 2 && option.startsWith(name)
  }
  if (option.length === 2) return !given.startsWith('--') && given.includes(option.slice(1))
  return given.startsWith(`${option}=`)
}

export function applies(turn: Variant, words: readonly Word[]): boolean {
  const given = words.map(({ text, lead }) => text ?? lead)
  if (turn.options !== undefined) {
    const options = turn.options.split(' ')
    return given.some((each) => options.some((option) => isOption(each, option)))
  }
  const end = given.indexOf('--')
  const operands = given.filter((each, at) => !each.startsWith('-') || each === '-' || (end >= 0 && at > end))
  if (turn.count !== undefined) return operands.length >= turn.count
  return operands.some((each) => turn.words?.test(each) === true)
}

/** What lessens is the first of a command's words, spelt out, and nothing after it can take it back. */
export function replaces(turn: Variant, words: readonly Word[]): boolean {
  const [first, ...others] = words
  if (first?.text === undefined || others.some(({ text, lead }) => (text ?? lead).startsWith('--no-'))) return false
  if (turn.options !== undefined) return turn.options.split(' ').includes(first.text)
  return others.length === 0 && turn.words?.test(first.text) === true
}

/** Words that may turn out to be options. */
export function possibleOption(words: readonly Word[]): Word | undefined {
  return words.find((each) => each.text === undefined && !isOperand(each))
}
