import { diffArrays } from 'diff'
import { digest } from '../../overlay/digest.js'
import type { FileAttribution, LineRange } from './draft.js'

/** Above this many bytes a change is one range, from the first line that differs to the last. */
const DIFF_BYTES = 1024 * 1024
/** Edits after which the search for the smallest difference stops, and the changed part becomes one range. */
export const DIFF_EDITS = 2000
/** How far git looks for a NUL when it decides that a file is binary. */
const BINARY_PROBE = 8000

export interface Attributable extends Omit<FileAttribution, 'ranges'> {
  /** A file's whole content; null where there is none. */
  readonly before: Uint8Array | null
  readonly after: Uint8Array | null
  /** Lines of the new content, counted from 0, that a reviewer wrote. */
  readonly edited?: ReadonlySet<number>
}

/**
 * Finds the lines of the new content that the old one does not have.
 *
 * Binary and deleted files have no ranges. The cost is bounded: a large or wholly different file gets one range.
 */
export function attributeFile({ before, after, edited, ...file }: Attributable): FileAttribution {
  if (after === null || isBinary(after) || (before !== null && isBinary(before))) return { ...file, ranges: [] }
  const small = after.length <= DIFF_BYTES && (before?.length ?? 0) <= DIFF_BYTES
  const newLines = linesOf(after)
  const spans = changedSpans(before === null ? [] : linesOf(before), newLines, small)
  const isEdited = (line: number) => edited?.has(line) === true
  const runs = spans.flatMap((span) => runsOf(span, isEdited))
  if (!runs.some(({ human }) => human)) {
    return { ...file, ranges: spans.map(([start, end]) => rangeOf(newLines, start, end)) }
  }
  const ranges = runs.map(({ start, end, human }) => {
    return { ...rangeOf(newLines, start, end), contributor: human ? 'human' : 'ai' } as const
  })
  return { ...file, contributor: runs.every(({ human }) => human) ? 'human' : 'mixed', ranges }
}

/** A span's parts that one side wrote: the agent, or a reviewer. */
function runsOf([first, last]: readonly [number, number], isEdited: (line: number) => boolean) {
  const runs: { start: number; end: number; human: boolean }[] = []
  for (let line = first; line < last; line++) {
    const run = runs.at(-1)
    const human = isEdited(line)
    if (run?.human === human) run.end = line + 1
    else runs.push({ start: line, end: line + 1, human })
  }
  return runs
}

/**
 * The hash by which lines are found again wherever they moved: over the lines joined by LF, every CR removed, no final
 * newline.
 * @param lines bytes as latin1 text, one character a byte.
 */
export function contentHash(lines: readonly string[]): string {
  return digest(Buffer.from(lines.join('\n').replaceAll('\r', ''), 'latin1'))
}

/** A content's lines without their LF, as latin1: lossless whatever the encoding. A final newline ends the last line. */
export function linesOf(content: Uint8Array): string[] {
  const lines = Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('latin1').split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

export function isBinary(content: Uint8Array): boolean {
  return content.subarray(0, BINARY_PROBE).includes(0)
}

function rangeOf(lines: readonly string[], start: number, end: number): LineRange {
  return { startLine: start + 1, endLine: end, contentHash: contentHash(lines.slice(start, end)) }
}

/** Half-open spans of the new lines, from 0. What both ends have in common is never searched. */
function changedSpans(old: readonly string[], now: readonly string[], search: boolean): [number, number][] {
  const shorter = Math.min(old.length, now.length)
  let head = 0
  while (head < shorter && old[head] === now[head]) head++
  let tail = 0
  while (tail < shorter - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++
  const whole: [number, number][] = head < now.length - tail ? [[head, now.length - tail]] : []
  if (!search || whole.length === 0 || head + tail === old.length) return whole
  const [gone, come] = [old.slice(head, old.length - tail), now.slice(head, now.length - tail)]
  if (come.length === 1 && !gone.includes(come[0] ?? '')) return whole
  const middle = diffArrays(gone, come, { maxEditLength: DIFF_EDITS })
  if (middle === undefined) return whole
  const spans: [number, number][] = []
  let at = head
  for (const part of middle) {
    if (part.added) spans.push([at, at + part.count])
    if (!part.removed) at += part.count
  }
  return spans
}
