/**
 * The limit of nested arrays and objects in JSON from other programs. Protocols need about ten levels. `JSON.parse` accepts any depth, but
 * recursive functions such as `JSON.stringify` throw a RangeError at a few thousand levels.
 */
export const MAX_JSON_DEPTH = 500

/** Whether a text of valid JSON is nested deeper than {@link MAX_JSON_DEPTH}. */
export function isTooDeep(text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '"') at = endOfString(text, at)
    else if (character === '[' || character === '{') depth++
    else if (character === ']' || character === '}') depth--
    if (depth > MAX_JSON_DEPTH) return true
  }
  return false
}

/** The index of the quotation mark that ends the string which begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end > 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text[end - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return end
  }
  return text.length
}
