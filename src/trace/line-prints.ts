import { hash } from 'node:crypto'

/**
 * The fingerprint of a line identifies it in the ledger: the first 8 bytes of the SHA-256 of its bytes without white
 * space, and one byte for its weight, in base64. Without white space, a line keeps its print when its indentation
 * changes. The weight is the number of its letters and digits, at most 255; each byte beyond ASCII counts as one. It
 * shows, without the text, whether a run of lines is evidence of a move or too common.
 */

/** Characters of a fingerprint. */
export const PRINT_LENGTH = 12
const BLANKS = /[\t\v\f\r ]+/g
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
/** Lines that occur in many files are hashed once. This many of the latest short ones are remembered. */
const REMEMBERED = 16_384
const LONGEST = 200

const remembered = new Map<string, string>()

/** A line without white space. Lines that differ in nothing else are the same to the trace. */
export function withoutWhitespace(line: string): string {
  return line.replace(BLANKS, '')
}

/** @param line latin1 text, one character a byte */
export function printOf(line: string): string {
  const known = remembered.get(line)
  if (known !== undefined) return known
  const print = newPrint(withoutWhitespace(line))
  if (line.length > LONGEST) return print
  if (remembered.size >= REMEMBERED) remembered.clear()
  // A copy: a substring of a file's text would keep all of that text in memory.
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
  // The bytes of ASCII text are its UTF-8, so it needs no buffer.
  const sum = hash('sha256', isAscii ? text : Buffer.from(text, 'latin1'), 'base64')
  // The ninth byte is the weight. It begins in the last two bits of the eleventh base64 digit.
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
  const end = print.length
  const [one, two] = [digitAt(print, end - 4), digitAt(print, end - 3)]
  const [three, four] = [digitAt(print, end - 2), digitAt(print, end - 1)]
  // Only a print that this program did not write has other characters.
  if (one < 0 || two < 0 || three < 0 || four < 0) return Buffer.from(print.slice(-4), 'base64')[2] ?? 0
  return ((three & 0b11) << 6) | four
}

/** The value of each base64 digit, by its ASCII code. Others are -1. */
const DIGITS = Int8Array.from({ length: 128 }, (_, code) => BASE64.indexOf(String.fromCharCode(code)))

function digitAt(text: string, at: number): number {
  return DIGITS[text.charCodeAt(at)] ?? -1
}

/** Splits the fingerprints of a record, which follow each other; undefined if the text is not valid. */
export function splitPrints(text: unknown): string[] | undefined {
  if (typeof text !== 'string' || text.length % PRINT_LENGTH !== 0) return undefined
  return Array.from({ length: text.length / PRINT_LENGTH }, (_, n) =>
    text.slice(n * PRINT_LENGTH, (n + 1) * PRINT_LENGTH),
  )
}
