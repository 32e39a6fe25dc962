import { lineEnd, splitLines } from './lines.js'

/**
 * Replaces every occurrence of one text by another, both taken literally. Line ends do not count when searching, and
 * the new text gets the line end most of the file has; all other bytes stay.
 */
export function replaceText(content: string, from: string, to: string): { content: string; count: number } {
  const source = toLf(content)
  const search = toLf(from)
  const replacement = toLf(to).replaceAll('\n', lineEnd(splitLines(content)))
  const originalAt = offsets(content)
  let result = ''
  let done = 0
  let count = 0
  for (let at = source.indexOf(search); at !== -1; at = source.indexOf(search, at + search.length)) {
    result += content.slice(done, originalAt(at)) + replacement
    done = originalAt(at + search.length)
    count++
  }
  return { content: result + content.slice(done), count }
}

function toLf(text: string): string {
  return text.replaceAll('\r\n', '\n')
}

/** Maps an offset in the text without CRs to the text with them. Asked with rising offsets only. */
function offsets(content: string): (offset: number) => number {
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
