import { formatPatch, type StructuredPatchHunk, structuredPatch } from 'diff'
import type { Hunk } from '../core/api.js'
import { hunkIds } from './hunk-id.js'

export interface FileDiff {
  readonly hunks: Hunk[]
  /** Not shown as text: a NUL byte, or not UTF-8. No hunks. */
  readonly binary: boolean
  /** Too big to compare line by line: one hunk replaces the whole, or none where even that is too much to show. */
  readonly large: boolean
  /** The whole as a unified diff; '' when both sides are equal. */
  readonly unified: string
}

/** Bytes of one side up to which files are compared line by line. */
export const COMPARE_LIMIT = 2 * 1024 * 1024
/** Bytes of one side up to which a file is shown at all: past it, two sides in one string strain the engine's limits. */
export const SHOW_LIMIT = 32 * 1024 * 1024
/** Inserted and deleted lines up to which the comparison goes on: its cost grows with the square (0.75 s here). */
export const EDIT_LIMIT = 4000
const CONTEXT = 3
const NO_NEWLINE = '\\ No newline at end of file'
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Compares two contents line by line, three lines of context, line endings as they are. Deterministic: no time limit
 * decides, so the same two contents always give the same hunk ids.
 * @param before null where nothing was there
 * @param after null where nothing is left
 * @param from where a moved file was
 */
export function diffFile(before: Uint8Array | null, after: Uint8Array | null, path: string, from = path): FileDiff {
  const [oldName, newName] = [before === null ? '/dev/null' : `a/${from}`, after === null ? '/dev/null' : `b/${path}`]
  const size = Math.max(before?.length ?? 0, after?.length ?? 0)
  if (before !== null && after !== null && Buffer.compare(before, after) === 0) return nothing({})
  if (size > SHOW_LIMIT) return nothing({ large: true, unified: `Files ${oldName} and ${newName} differ\n` })
  const texts = [textOf(before), textOf(after)] as const
  if (texts[0] === undefined || texts[1] === undefined) {
    return nothing({ binary: true, unified: `Binary files ${oldName} and ${newName} differ\n` })
  }
  const compared = size > COMPARE_LIMIT ? undefined : compare(texts[0], texts[1])
  const raw = compared ?? whole(texts[0], texts[1])
  const headers = { oldFileName: oldName, newFileName: newName, oldHeader: undefined, newHeader: undefined }
  const unified = raw.length === 0 ? '' : formatPatch({ ...headers, hunks: raw }, FILE_HEADERS)
  return { hunks: hunksOf(raw, path), binary: false, large: compared === undefined, unified }
}

const FILE_HEADERS = { includeIndex: false, includeUnderline: false, includeFileHeaders: true }

function nothing(more: Partial<FileDiff>): FileDiff {
  return { hunks: [], binary: false, large: false, unified: '', ...more }
}

function textOf(content: Uint8Array | null): string | undefined {
  if (content === null) return ''
  if (content.includes(0)) return undefined
  try {
    return utf8.decode(content)
  } catch {
    return undefined
  }
}

/** Undefined where it takes too many edits. A side that is empty needs no comparison, however long the other is. */
function compare(before: string, after: string): StructuredPatchHunk[] | undefined {
  if (before === '' || after === '') return whole(before, after)
  const options = { context: CONTEXT, maxEditLength: EDIT_LIMIT }
  return structuredPatch('', '', before, after, undefined, undefined, options)?.hunks
}

/** One hunk: the old text out, the new text in. */
function whole(before: string, after: string): StructuredPatchHunk[] {
  if (before === after) return []
  const [oldLines, newLines] = [linesOf(before), linesOf(after)]
  const lines: string[] = []
  for (const line of marked('-', oldLines, before)) lines.push(line)
  for (const line of marked('+', newLines, after)) lines.push(line)
  return [{ oldStart: 1, oldLines: oldLines.length, newStart: 1, newLines: newLines.length, lines }]
}

function linesOf(text: string): string[] {
  if (text === '') return []
  const lines = text.split('\n')
  if (text.endsWith('\n')) lines.pop()
  return lines
}

function marked(mark: string, lines: string[], text: string): string[] {
  const out = lines.map((line) => mark + line)
  if (lines.length > 0 && !text.endsWith('\n')) out.push(NO_NEWLINE)
  return out
}

function hunksOf(raw: readonly StructuredPatchHunk[], path: string): Hunk[] {
  const ids = hunkIds(
    path,
    raw.map((hunk) => hunk.lines),
  )
  return raw.map(({ oldLines, newLines, lines, ...at }, index) => {
    // A side without lines is numbered by the line before it, as `patch` and git do.
    const oldStart = oldLines === 0 ? at.oldStart - 1 : at.oldStart
    const newStart = newLines === 0 ? at.newStart - 1 : at.newStart
    const text = `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@\n${lines.join('\n')}\n`
    return { id: ids[index] ?? '', oldStart, oldLines, newStart, newLines, text }
  })
}
