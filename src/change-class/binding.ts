import type { Node, Syntax } from '../os/tree.js'
import type { Token } from './stream.js'

/** A name declared in a scope, and how far the scope reaches. */
export interface Binding {
  readonly name: string
  readonly declared: Node
  /** Each use of the name in this scope means this binding, or one in an inner scope. */
  readonly scope: Span
  /** The code around the scope that must have neither the old nor the new name: a parameter would capture it. */
  readonly around: Span
  /** Whether every use must be a call, because the value may be a function that shows this name. */
  readonly callsOnly: boolean
}

export interface Span {
  readonly start: number
  readonly end: number
}

export interface Side {
  readonly syntax: Syntax
  readonly tokens: readonly Token[]
}

/** Whether a file declares one of these words as a name. */
export function mentions({ tokens }: Side, words: ReadonlySet<string>): boolean {
  return tokens.some(({ text }) => words.has(text))
}
