import type { Node } from '../os/tree.js'

/** Something in a text, and where. */
export interface Place {
  readonly text: string
  readonly line: number
}

/** The modules behind local names: `run` of `import { exec as run } from 'child_process'`. */
export type Modules = ReadonlyMap<string, string>

/** The data about a file that a collector may use. */
export interface File {
  readonly modules: Modules
  text(node: Node): string
  lineOf(node: Node): number
}

const MOST = 2_000

/** A text without white space, cut. Nested nodes repeat the text of those within, so the length is bounded first. */
export function squeeze(text: string): string {
  return text
    .slice(0, 2 * MOST)
    .replace(/\s+/g, '')
    .slice(0, MOST)
}
