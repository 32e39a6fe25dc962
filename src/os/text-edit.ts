import type { Edit, Point } from '@vscode/tree-sitter-wasm'

/** Returns the one edit that turns a text into another, in a parser's format: without their common start and end. */
export function editOf(before: string, after: string): Edit {
  const most = Math.min(before.length, after.length)
  let start = 0
  while (start < most && before.charCodeAt(start) === after.charCodeAt(start)) start++
  let end = 0
  while (end < most - start && before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end))
    end++
  const [oldEnd, newEnd] = [before.length - end, after.length - end]
  return {
    startIndex: start,
    oldEndIndex: oldEnd,
    newEndIndex: newEnd,
    startPosition: pointAt(before, start),
    oldEndPosition: pointAt(before, oldEnd),
    newEndPosition: pointAt(after, newEnd),
  }
}

function pointAt(text: string, index: number): Point {
  let row = 0
  let lineStart = 0
  for (let at = text.indexOf('\n'); at !== -1 && at < index; at = text.indexOf('\n', lineStart)) {
    row++
    lineStart = at + 1
  }
  return { row, column: index - lineStart }
}
