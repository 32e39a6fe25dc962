import { hash } from 'node:crypto'

/**
 * A line's print is what it is known by in the ledger: the first 8 bytes of the SHA-256 of its bytes without blanks, and
 * a byte that says how much it weighs, in base64. Without blanks, so that a line keeps its print when it is indented
 * anew. The weight is the number of its letters and digits (bytes beyond ASCII count as such), 255 at most: whether some
 * lines are evidence of a move or stand everywhere can be told without their text.
 */

/** Characters of a print. */
export const PRINT_LENGTH = 12
const HASH_BYTES = 8
const BLANKS = /[\t\v\f\r ]+/g
const NOT_WORD = /[^A-Za-z0-9\x80-\xff]+/g

/** A line without its blanks. What differs in nothing else is one line to the trace. */
export function withoutBlanks(line: string): string {
  return line.replace(BLANKS, '')
}

/** @param line as latin1 text, one character a byte. */
export function printOf(line: string): string {
  const text = withoutBlanks(line)
  const sum = hash('sha256', Buffer.from(text, 'latin1'), 'buffer')
  sum[HASH_BYTES] = Math.min(255, text.replace(NOT_WORD, '').length)
  return sum.toString('base64', 0, HASH_BYTES + 1)
}

export function printsOf(lines: readonly string[]): string[] {
  return lines.map(printOf)
}

export function weightOf(print: string): number {
  return Buffer.from(print.slice(-4), 'base64')[2] ?? 0
}

/** Prints as a record has them, one after the other; undefined for what is no such text. */
export function splitPrints(text: unknown): string[] | undefined {
  if (typeof text !== 'string' || text.length % PRINT_LENGTH !== 0) return undefined
  return Array.from({ length: text.length / PRINT_LENGTH }, (_, n) =>
    text.slice(n * PRINT_LENGTH, (n + 1) * PRINT_LENGTH),
  )
}
