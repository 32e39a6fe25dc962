import { createFinder } from '../../surface/index.js'
import { lineEnd, splitLines } from './lines.js'

/**
 * Replaces every literal occurrence of one text by another. The search ignores kinds of line ends, and the new text gets the
 * file's most frequent one; all other bytes stay.
 */
export function replaceText(content: string, from: string, to: string): { content: string; count: number } {
  const source = toLf(content)
  const search = toLf(from)
  const replacement = toLf(to).replaceAll('\n', lineEnd(splitLines(content)))
  const originalAt = offsetMapper(content)
  let result = ''
  let done = 0
  let count = 0
  const find = createFinder(search)
  for (let at = find(source); at !== -1; at = find(source, at + search.length)) {
    result += content.slice(done, originalAt(at)) + replacement
    done = originalAt(at + search.length)
    count++
  }
  return { content: result + content.slice(done), count }
}

function toLf(text: string): string {
  return text.replaceAll('\r\n', '\n')
}

/** Maps offsets in the text without CRs to the original text. Call it with rising offsets only. */
function offsetMapper(content: string): (offset: number) => number {
  let removed = 0
  let next = content.indexOf('\r\n')
  return (offset) => {
    while (next !== -1 && next - removed < offset) {
      removed++
      next = content.indexOf('\r\n', next + 2)
    }
    return offset + removed
  }
}
