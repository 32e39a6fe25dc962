import type { Node, Syntax } from '../host/tree.js'
import type { Findings } from './findings.js'
import type { Rule } from './rule.js'
import type { Word } from './words.js'

/** What a command is judged with. */
export interface CommandContext {
  readonly found: Findings
  /** Judges a text that a shell is given. */
  script(text: string, stdin: Stdin): undefined
  /** Functions the line has defined by now: their bodies were judged where they stand. */
  isFunction(name: string): boolean
  readonly stdin: Stdin
  /** How what is inside of a command is judged: a wrapper, a package runner and find(1) run others. */
  readonly judges: Judges
}

export interface Judges {
  words(words: readonly Word[], scene: CommandContext): undefined
  rule(rule: Rule, given: readonly Word[], scene: CommandContext, part: string): undefined
}

/** What a command reads: a text, what another command says, or its caller's input. */
export interface Stdin {
  readonly text?: string
  readonly from: 'caller' | 'pipe' | 'network' | 'unknown'
}

export function partOf(words: readonly Word[]): string {
  return words.map(({ source }) => source).join(' ')
}

/** One command, for a rule that has code of its own. */
export interface RuleCase {
  readonly rule: Rule
  readonly given: readonly Word[]
  readonly scene: CommandContext
  readonly part: string
}

/** A parsed line, or a part of it, and what it is judged with. */
export interface Script {
  readonly syntax: Syntax
  readonly found: Findings
  readonly stdin: Stdin
  /** Judges a part of it. */
  readonly visit: (node: Node, script: Script) => undefined
  /** Judges a text that a shell is given. */
  readonly nested: (text: string, stdin: Stdin, found: Findings) => undefined
}
