/**
 * The limit of nested arrays and objects in JSON from other programs. Protocols need about ten levels. `JSON.parse` accepts any depth, but
 * recursive functions such as `JSON.stringify` throw a RangeError at a few thousand levels.
 */
export const MAX_JSON_DEPTH = 500

const [QUOTE, BACKSLASH] = [0x22, 0x5c]
const [OPENS_ARRAY, CLOSES_ARRAY, OPENS_OBJECT, CLOSES_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Whether a text of valid JSON is nested deeper than {@link MAX_JSON_DEPTH}. */
export function isTooDeep(text: string): boolean {
  // Each level takes two characters.
  if (text.length <= 2 * MAX_JSON_DEPTH) return false
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character === QUOTE) at = endOfString(text, at)
    else if (character === OPENS_ARRAY || character === OPENS_OBJECT) depth++
    else if (character === CLOSES_ARRAY || character === CLOSES_OBJECT) depth--
    if (depth > MAX_JSON_DEPTH) return true
  }
  return false
}

/** The index of the quotation mark that ends the string which begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end > 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return end
  }
  return text.length
}
