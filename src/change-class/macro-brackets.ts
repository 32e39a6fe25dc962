import type { Leaf } from './gaps.js'

/** Brackets of statements, which no macro reads. */
const STATEMENTS = /^(?:condition_clause|for_statement|for_range_loop)$/

/** The open round brackets of C++. Any other pair may be a macro's, which can make a text of what is in it. */
export class Brackets {
  #open = 0

  leaf({ node, text }: Leaf): void {
    if (STATEMENTS.test(node.parent?.type ?? '')) return
    if (text === '(') this.#open++
    if (text === ')') this.#open = Math.max(0, this.#open - 1)
  }

  /** Whether white space between two leaves may be in such a text. At both ends of it white space is dropped. */
  holds(left: Leaf | undefined, right: Leaf): boolean {
    return this.#open > 1 || (this.#open === 1 && left?.text !== '(' && right.text !== ')')
  }
}
