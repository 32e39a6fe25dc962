import type { Language } from './languages.js'
import type { Token } from './stream.js'
import type { Syntax } from './tree.js'
export interface Side {
  readonly syntax: Syntax
  readonly tokens: readonly Token[]
}
export interface Comparison {
  readonly language: Language
  readonly before: Side
  readonly after: Side
}
export function findRenames(_: Comparison): [string, string][] | undefined {
  return undefined
}
