import { findEach } from '../../surface/index.js'

/** One line and the line end that follows it in the file; the last line has none. */
export interface Line {
  readonly text: string
  readonly end: '' | '\n' | '\r\n'
}

/**
 * Splits a text into lines with their own ends, so that a file with mixed line ends keeps them. A text that ends in a line end has
 * an empty last line, as in an editor. `joinLines` restores the text byte for byte.
 */
export function splitLines(text: string): Line[] {
  const lines: Line[] = []
  let start = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', start)) {
    const crlf = at > start && text[at - 1] === '\r'
    lines.push({ text: text.slice(start, crlf ? at - 1 : at), end: crlf ? '\r\n' : '\n' })
    start = at + 1
  }
  lines.push({ text: text.slice(start), end: '' })
  return lines
}

export function joinLines(lines: readonly Line[]): string {
  return lines.map((line) => line.text + line.end).join('')
}

/** The most frequent line end. */
export function lineEnd(lines: readonly Line[]): '\n' | '\r\n' {
  const crlf = lines.filter((line) => line.end === '\r\n').length
  const lf = lines.filter((line) => line.end === '\n').length
  return crlf > lf ? '\r\n' : '\n'
}

/** A part of a file to replace: `count` lines from index `at`. A new line given as {@link Line} keeps its end. */
export interface Splice {
  readonly at: number
  readonly count: number
  readonly lines: readonly (string | Line)[]
}

/**
 * Applies splices that do not overlap, in any order. New lines get the file's line end. Whether the file ends in a line end changes
 * only if its last line is replaced by lines that end differently.
 */
export function spliceLines(lines: readonly Line[], splices: readonly Splice[]): Line[] {
  const end = lineEnd(lines)
  const result: Line[] = []
  let next = 0
  for (const splice of [...splices].sort((a, b) => a.at - b.at)) {
    result.push(...lines.slice(next, splice.at))
    result.push(...splice.lines.map((line) => (typeof line === 'string' ? { text: line, end } : line)))
    next = splice.at + splice.count
  }
  result.push(...lines.slice(next))
  return withLineEnds(result, end)
}

/** Removes the end of the last line, and adds missing ends of others. */
function withLineEnds(lines: readonly Line[], end: '\n' | '\r\n'): Line[] {
  const last = lines.length - 1
  return lines.map((line, index) => {
    if (index === last) return { text: line.text, end: '' }
    return line.end === '' ? { text: line.text, end } : line
  })
}

/** Every index at which the lines match the texts, compared by their keys. */
export function findTexts(
  lines: readonly Line[],
  texts: readonly string[],
  keyOf: (text: string) => string = (text) => text,
): number[] {
  return findEach(
    lines.map(({ text }) => keyOf(text)),
    texts.map(keyOf),
  )
}

/** Formats lines as the read tool does: `12 | text`, numbers aligned. */
export function numberLines(texts: readonly string[], first = 1): string {
  const width = String(first + texts.length - 1).length
  return texts.map((text, index) => `${String(first + index).padStart(width)} | ${text}`).join('\n')
}
