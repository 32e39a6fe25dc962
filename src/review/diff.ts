import type { StructuredPatchHunk } from 'diff'
import { digest } from '../../overlay/index.js'
import type { Hunk } from '../core/api.js'
import { commonEnds, commonLines, type LinePair } from '../core/common-lines.js'
import { defined } from '../core/defined.js'
import { hunkIds } from './hunk-id.js'
import { piecesOf } from './pieces.js'
import { decodeText, encodeText, isMarked, linesOf, type Text } from './text.js'

/** A hunk on which nobody has decided yet. */
export type PlainHunk = Omit<Hunk, 'state'>

export interface FileDiff {
  readonly hunks: PlainHunk[]
  /** Not shown as text: a NUL, or bytes that are neither UTF-8 nor marked UTF-16. No hunks. */
  readonly binary: boolean
  /** Too large to compare line by line: one hunk replaces the whole file, or there is none if even that is too large to show. */
  readonly large: boolean
  /** `utf-16`, and `encoding-changed` if the two sides differ in encoding or byte order mark. */
  readonly encoding: readonly ('utf-16' | 'encoding-changed')[]
  /** Applies only the hunks of these ids to the old content. */
  take(ids: ReadonlySet<string>): Uint8Array
}

/** The largest side, in bytes, that is compared line by line. */
export const COMPARE_LIMIT = 2 * 1024 * 1024
/** The largest side, in bytes, that is shown. Two larger ones in one string come near V8's limit. */
export const SHOW_LIMIT = 32 * 1024 * 1024
/** The limit of inserted and deleted lines. The cost of a comparison grows with their square: 0.75 s at this limit. */
export const EDIT_LIMIT = 4000
const CONTEXT = 3
const NO_NEWLINE = '\\ No newline at end of file'
const EMPTY: Text = { text: '', encoding: 'utf-8' }

/**
 * Compares two contents line by line, three lines of context, line endings as they are. Deterministic: no time limit
 * decides, so the same two contents always give the same hunk ids.
 * @param before null for a created file
 * @param after null for a deleted file
 * @param splits ids of hunks that are shown in pieces
 */
export function diffFile(
  before: Uint8Array | null,
  after: Uint8Array | null,
  path: string,
  splits: ReadonlySet<string> = NONE,
): FileDiff {
  const size = Math.max(before?.length ?? 0, after?.length ?? 0)
  if (before !== null && after !== null && Buffer.compare(before, after) === 0) return emptyDiff(before, {})
  if (size > SHOW_LIMIT) return emptyDiff(before, { large: true })
  const [old, now] = [textOf(before), textOf(after)]
  if (old === undefined || now === undefined) return emptyDiff(before, { binary: true })
  const recoded = old !== EMPTY && now !== EMPTY && old.encoding !== now.encoding
  const [lines, newLines] = [linesOf(old.text), linesOf(now.text)]
  const compared = size > COMPARE_LIMIT ? undefined : (recoded ? whole : compare)(lines, newLines)
  const name = (hunks: readonly StructuredPatchHunk[]) => hunkIds(path, hunks, lines, () => digest(before ?? NOTHING))
  const found = compared ?? whole(lines, newLines)
  const { raw, ids, partOf } = splitHunks(found, name, splits)
  const take = (wanted: ReadonlySet<string>) => {
    const chosen = raw.filter((_, index) => wanted.has(ids[index] ?? ''))
    if (chosen.length === raw.length) return after ?? NOTHING
    return chosen.length === 0 ? (before ?? NOTHING) : takeHunks(old, now, chosen)
  }
  const encoding = encodingFlags(old, now)
  return { hunks: hunksOf(raw, ids, partOf), binary: false, large: compared === undefined, encoding, take }
}

const NOTHING = new Uint8Array()
const NONE: ReadonlySet<string> = new Set()

type Namer = (hunks: readonly StructuredPatchHunk[]) => readonly string[]

/** Replaces split hunks by their pieces. Returns all hunks, their ids, and for each piece the id of its whole hunk. */
function splitHunks(found: readonly StructuredPatchHunk[], name: Namer, splits: ReadonlySet<string>) {
  const ids = name(found)
  if (!ids.some((id) => splits.has(id))) return { raw: found, ids, partOf: [] }
  const parts = found.flatMap(
    (hunk, index): { readonly piece: StructuredPatchHunk; readonly of: string | undefined }[] => {
      const id = ids[index] ?? ''
      return splits.has(id) ? piecesOf(hunk).map((piece) => ({ piece, of: id })) : [{ piece: hunk, of: undefined }]
    },
  )
  const raw = parts.map(({ piece }) => piece)
  return { raw, ids: name(raw), partOf: parts.map(({ of }) => of) }
}

function emptyDiff(before: Uint8Array | null, more: Partial<FileDiff>): FileDiff {
  return { hunks: [], binary: false, large: false, encoding: [], take: () => before ?? NOTHING, ...more }
}

function textOf(content: Uint8Array | null): Text | undefined {
  return content === null || content.length === 0 ? EMPTY : decodeText(content)
}

function encodingFlags(old: Text, now: Text): FileDiff['encoding'] {
  const wide = old.encoding !== 'utf-8' || now.encoding !== 'utf-8'
  const differs = old.encoding !== now.encoding || isMarked(old.text) !== isMarked(now.text)
  const changed = old !== EMPTY && now !== EMPTY && differs
  return [...(wide ? (['utf-16'] as const) : []), ...(changed ? (['encoding-changed'] as const) : [])]
}

/** Undefined if it takes too many edits. An empty side needs no comparison, whatever the length of the other. */
function compare(old: readonly string[], now: readonly string[]): StructuredPatchHunk[] | undefined {
  if (old.length === 0 || now.length === 0) return whole(old, now)
  const ends = commonEnds(old, now)
  const between = (lines: readonly string[]) => lines.slice(ends.head, lines.length - ends.tail)
  if (fewestEdits(between(old), between(now)) > EDIT_LIMIT) return undefined
  const common = commonLines(old, now, EDIT_LIMIT, ends)
  if (common === undefined || old.length + now.length - 2 * common.length > EDIT_LIMIT) return undefined
  return patchHunks(old, now, common)
}

/** The lines between two common lines, numbered from 0. `to` is excluded. */
interface Gap {
  readonly from: LinePair
  readonly to: LinePair
}

function gapsBetween(common: readonly LinePair[], end: LinePair): Gap[] {
  const gaps: Gap[] = []
  let from: LinePair = [0, 0]
  for (const to of [...common, end]) {
    if (to[0] > from[0] || to[1] > from[1]) gaps.push({ from, to })
    from = [to[0] + 1, to[1] + 1]
  }
  return gaps
}

/** The gaps with three lines of context. Gaps whose contexts touch or overlap are one hunk. */
function patchHunks(
  old: readonly string[],
  now: readonly string[],
  common: readonly LinePair[],
): StructuredPatchHunk[] {
  const groups: Gap[][] = []
  for (const gap of gapsBetween(common, [old.length, now.length])) {
    const last = groups.at(-1)
    const isNear = last !== undefined && gap.from[0] - (last.at(-1)?.to[0] ?? 0) <= 2 * CONTEXT
    if (isNear) last.push(gap)
    else groups.push([gap])
  }
  return groups.map((gaps) => patchHunk(old, now, gaps))
}

function patchHunk(old: readonly string[], now: readonly string[], gaps: readonly Gap[]): StructuredPatchHunk {
  const [first = EMPTY_GAP, last = EMPTY_GAP] = [gaps[0], gaps.at(-1)]
  const lead = Math.min(CONTEXT, first.from[0])
  const trail = Math.min(CONTEXT, old.length - last.to[0])
  const start: LinePair = [first.from[0] - lead, first.from[1] - lead]
  const end: LinePair = [last.to[0] + trail, last.to[1] + trail]
  const lines: string[] = []
  let at = start[0]
  for (const { from, to } of gaps) {
    lines.push(...prefixLines(' ', old.slice(at, from[0])))
    lines.push(...prefixLines('-', old.slice(from[0], to[0])))
    lines.push(...prefixLines('+', now.slice(from[1], to[1])))
    at = to[0]
  }
  lines.push(...prefixLines(' ', old.slice(at, end[0])))
  const [oldLines, newLines] = [end[0] - start[0], end[1] - start[1]]
  return { oldStart: start[0] + 1, oldLines, newStart: start[1] + 1, newLines, lines }
}

const EMPTY_GAP: Gap = { from: [0, 0], to: [0, 0] }

/** Lines that only one side has: no comparison needs fewer edits, and they are counted in one pass. */
function fewestEdits(old: readonly string[], now: readonly string[]): number {
  const surplus = new Map<string, number>()
  for (const line of old) surplus.set(line, (surplus.get(line) ?? 0) + 1)
  for (const line of now) surplus.set(line, (surplus.get(line) ?? 0) - 1)
  let edits = 0
  for (const count of surplus.values()) edits += Math.abs(count)
  return edits
}

/** One hunk: the old text out, the new text in. */
function whole(oldLines: readonly string[], newLines: readonly string[]): StructuredPatchHunk[] {
  if (oldLines.length === newLines.length && oldLines.every((line, at) => line === newLines[at])) return []
  const lines: string[] = []
  for (const line of prefixLines('-', oldLines)) lines.push(line)
  for (const line of prefixLines('+', newLines)) lines.push(line)
  return [{ oldStart: 1, oldLines: oldLines.length, newStart: 1, newLines: newLines.length, lines }]
}

function prefixLines(mark: string, lines: readonly string[]): string[] {
  const out = lines.map((line) => mark + (line.endsWith('\n') ? line.slice(0, -1) : line))
  if (lines.length > 0 && !lines.at(-1)?.endsWith('\n')) out.push(NO_NEWLINE)
  return out
}

function hunksOf(
  raw: readonly StructuredPatchHunk[],
  ids: readonly string[],
  partOf: readonly (string | undefined)[],
): PlainHunk[] {
  return raw.map(({ oldLines, newLines, lines, ...at }, index) => {
    // A side without lines is numbered by the line before it, as `patch` and git do.
    const oldStart = oldLines === 0 ? at.oldStart - 1 : at.oldStart
    const newStart = newLines === 0 ? at.newStart - 1 : at.newStart
    const text = `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@\n${lines.join('\n')}\n`
    const whole = partOf[index]
    const id = ids[index] ?? ''
    return { id, oldStart, oldLines, newStart, newLines, text, ...defined({ partOf: whole }) }
  })
}

/** Returns the old content with the wanted hunks applied. Copies the lines of both sides unchanged. */
function takeHunks(old: Text, now: Text, wanted: readonly StructuredPatchHunk[]): Uint8Array {
  const [oldLines, newLines] = [linesOf(old.text), linesOf(now.text)]
  const out: string[] = []
  let at = 0
  for (const hunk of wanted) {
    const [start, from] = [hunk.oldStart - 1, hunk.newStart - 1]
    out.push(oldLines.slice(at, start).join(''), newLines.slice(from, from + hunk.newLines).join(''))
    at = start + hunk.oldLines
  }
  return encodeText({ text: [...out, oldLines.slice(at).join('')].join(''), encoding: old.encoding })
}
