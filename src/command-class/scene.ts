import type { Node, Syntax } from '../os/tree.js'
import type { Findings } from './findings.js'
import type { Rule } from './rule.js'
import type { Word } from './words.js'

/** The context in which a command is judged. */
export interface CommandContext {
  readonly found: Findings
  /** Judges a script that a shell would run. */
  script(text: string, stdin: Stdin): undefined
  /** Whether the line has defined a function of this name. Its body was judged at the definition. */
  isFunction(name: string): boolean
  readonly stdin: Stdin
  /** Judges for inner commands, which wrappers, package runners and find(1) run. */
  readonly judges: Judges
}

export interface Judges {
  words(words: readonly Word[], scene: CommandContext): undefined
  rule(rule: Rule, args: readonly Word[], scene: CommandContext, part: string): undefined
}

/** The input of a command: a known text, another command's output, or the caller's input. */
export interface Stdin {
  readonly text?: string
  readonly from: 'caller' | 'pipe' | 'network' | 'unknown'
}

export function partOf(words: readonly Word[]): string {
  return words.map(({ source }) => source).join(' ')
}

/** The arguments of a rule with its own code. */
export interface RuleCase {
  readonly rule: Rule
  readonly given: readonly Word[]
  readonly scene: CommandContext
  readonly part: string
}

/** A parsed line, or a part of it, with its context. */
export interface Script {
  readonly syntax: Syntax
  readonly found: Findings
  readonly stdin: Stdin
  /** Judges a node. */
  readonly visit: (node: Node, script: Script) => undefined
  /** Judges a script that a shell would run. */
  readonly nested: (text: string, stdin: Stdin, found: Findings) => undefined
}
