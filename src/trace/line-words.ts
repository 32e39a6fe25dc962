/**
 * A search in the bytes of a line, which saves most of the parsing. Our writer always encodes a text in the same way, but JSON allows others: spaces
 * between tokens, escapes of any character. A reader that missed a line because of its encoding would disagree with the other readers.
 */

const CHANGES = Buffer.from('"changes"')
const NONE = Buffer.from('"changes":[]')
const BACKSLASH = 0x5c

/** Whether a line may contain a text, which is a JSON string or part of one. False only if it certainly does not. */
export function mayContain(bytes: Buffer, text: string | Buffer): boolean {
  return bytes.includes(text) || hasEscapes(bytes)
}

/** Whether a line may contain changes of files. */
export function mayHaveChanges(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(CHANGES); at !== -1; at = bytes.indexOf(CHANGES, at + CHANGES.length))
    if (!bytes.subarray(at, at + NONE.length).equals(NONE)) return true
  return hasEscapes(bytes)
}

/** Whether a line may contain an escaped letter. Our writer rarely uses such escapes. */
function hasEscapes(bytes: Buffer): boolean {
  return bytes.includes(BACKSLASH) && (bytes.includes('\\u') || bytes.includes('\\/'))
}
