/**
 * A search in the bytes of a line, which saves most of the parsing. Our writer spells each text in one way, and JSON has others: spaces
 * between tokens, escapes of any character. A reader that missed a line for its spelling would see another ledger than the others.
 */

const CHANGES = Buffer.from('"changes"')
const NONE = Buffer.from('"changes":[]')
const BACKSLASH = 0x5c

/** Whether a line may have a text, which is a JSON string or part of one. False only if it certainly has not. */
export function mayContain(bytes: Buffer, text: string | Buffer): boolean {
  return bytes.includes(text) || hasEscapes(bytes)
}

/** Whether a line may have changes of files. */
export function mayHaveChanges(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(CHANGES); at !== -1; at = bytes.indexOf(CHANGES, at + CHANGES.length))
    if (!bytes.subarray(at, at + NONE.length).equals(NONE)) return true
  return hasEscapes(bytes)
}

/** Whether a line may have an escape in place of a letter. Our writer escapes few characters so. */
function hasEscapes(bytes: Buffer): boolean {
  return bytes.includes(BACKSLASH) && (bytes.includes('\\u') || bytes.includes('\\/'))
}
