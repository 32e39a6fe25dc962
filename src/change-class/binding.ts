import type { Node, Syntax } from '../host/tree.js'
import type { Token } from './stream.js'

/** A name that a scope of its own declares, and how far the scope reaches. */
export interface Binding {
  readonly name: string
  readonly declared: Node
  /** What the name means in every place of it is this binding, or one further in. */
  readonly scope: Span
  /** Around the scope, where neither the old nor the new name may stand: a parameter would be caught. */
  readonly around: Span
  /** It may hold a function that is called by this very name in what it shows, so it may only be called. */
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

/** True where a file holds one of these as a name of its own. */
export function mentions({ tokens }: Side, words: ReadonlySet<string>): boolean {
  return tokens.some(({ text }) => words.has(text))
}
