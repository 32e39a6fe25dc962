import type { Hunk } from '../index.js'

/** Unchanged lines that a diff leaves out, before a hunk or after the last one. */
export interface Gap {
  /** Its first line, counted from 0, in the old and in the new text. */
  readonly old: number
  readonly fresh: number
  readonly lines: number
}

/**
 * The gaps of a file: one before each hunk and one after the last, in order. Empty gaps are kept, so that the index of a gap is the
 * index of the hunk after it.
 * @param lines the number of lines of the new text
 */
export function gapsOf(hunks: readonly Hunk[], lines: number): Gap[] {
  let [old, fresh] = [0, 0]
  const gaps: Gap[] = []
  for (const hunk of hunks) {
    const [oldStart, newStart] = [startOf(hunk.oldStart, hunk.oldLines), startOf(hunk.newStart, hunk.newLines)]
    gaps.push({ old, fresh, lines: Math.max(0, newStart - fresh) })
    ;[old, fresh] = [oldStart + hunk.oldLines, newStart + hunk.newLines]
  }
  return [...gaps, { old, fresh, lines: Math.max(0, lines - fresh) }]
}

/** In the unified format a side without lines has the number of the line before it. */
function startOf(start: number, lines: number): number {
  return lines === 0 ? start : start - 1
}

/** Splits a text into lines without line breaks. A final line break does not start another line. */
export function plainLines(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}
