import { hash } from 'node:crypto'

/**
 * A line's print is what it is known by in the ledger: the first 8 bytes of the SHA-256 of its bytes without blanks, and
 * a byte that says how much it weighs, in base64. Without blanks, so that a line keeps its print when it is indented
 * anew. The weight is the number of its letters and digits (bytes beyond ASCII count as such), 255 at most: whether some
 * lines are evidence of a move or stand everywhere can be told without their text.
 */

/** Characters of a print. */
export const PRINT_LENGTH = 12
const BLANKS = /[\t\v\f\r ]+/g
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
/** Lines that stand in many files are hashed once: of those the latest, and none that is long. */
const REMEMBERED = 16_384
const LONGEST = 200

const remembered = new Map<string, string>()

/** A line without its blanks. What differs in nothing else is one line to the trace. */
export function withoutBlanks(line: string): string {
  return line.replace(BLANKS, '')
}

/** @param line as latin1 text, one character a byte. */
export function printOf(line: string): string {
  const known = remembered.get(line)
  if (known !== undefined) return known
  const print = newPrint(withoutBlanks(line))
  if (line.length > LONGEST) return print
  if (remembered.size >= REMEMBERED) remembered.clear()
  // A copy: a line cut out of a file's text would keep all of that text.
  remembered.set(` ${line}`.slice(1), print)
  return print
}

function newPrint(text: string): string {
  let [weight, isAscii] = [0, true]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code >= 0x80) isAscii = false
    if (code >= 0x80 || isWordCode(code)) weight++
  }
  // Of ASCII text the bytes are those of its UTF-8, which need no buffer of their own.
  const sum = hash('sha256', isAscii ? text : Buffer.from(text, 'latin1'), 'base64')
  // The ninth byte is the weight: it begins in the last two bits of the eleventh digit.
  const byte = Math.min(255, weight)
  const eleventh = (BASE64.indexOf(sum[10] ?? 'A') & 0b111100) | (byte >> 6)
  return `${sum.slice(0, 10)}${BASE64[eleventh]}${BASE64[byte & 63]}`
}

/** Letters and digits. */
function isWordCode(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
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
