import type { StagedChange } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { newId } from '../core/ids.js'
import type { Reviewer } from '../core/people.js'
import type { BaseDiffs } from './base-diffs.js'
import { diffFile, type PlainHunk } from './diff.js'
import { type DisplayedChange, refuseChanged } from './displayed-change.js'
import { type CommitSlice, refOf } from './judge.js'
import type { ReviewLog } from './log.js'
import { entryOf, keyOf } from './record.js'
import type { HunkRef, ReviewEntry, ReviewRecord } from './record-schema.js'
import type { Chosen } from './selection.js'
import { recordOf } from './verdict-record.js'
import type { CurrentVerdicts } from './verdicts.js'

/** The ids of split hunks. An id covers its path, so one set serves all files. */
export function splitsIn(records: readonly ReviewRecord[]): ReadonlySet<string> {
  const known = KNOWN.get(records)
  if (known !== undefined) return known
  const ids = new Set(records.flatMap((record) => (record.kind === 'split' ? idsOf(record.entries) : [])))
  KNOWN.set(records, ids)
  return ids
}

const KNOWN = new WeakMap<readonly ReviewRecord[], ReadonlySet<string>>()

function idsOf(entries: readonly ReviewEntry[]): string[] {
  return entries.flatMap(({ hunks = [] }) => hunks.map(({ id }) => id))
}

/**
 * Records that a hunk is shown in pieces, unless it is already.
 * @param chosen the hunk, as it was displayed
 * @returns its change and the ids of the pieces
 * @throws EscrowError `stale_file`; `unsupported` if the hunk has no unchanged line between its changes
 */
export async function splitHunk(
  log: Pick<ReviewLog, 'read' | 'append'>,
  diffs: BaseDiffs,
  id: string,
  chosen: readonly Chosen<DisplayedChange>[],
  staged: readonly StagedChange[],
  by: Reviewer,
): Promise<{ readonly change: StagedChange; readonly pieces: string[] }> {
  refuseChanged(chosen, staged, diffs)
  const [{ change: displayed, hunks } = {}] = chosen
  const change = displayed && staged.find((each) => keyOf(each) === keyOf(displayed))
  if (change === undefined || hunks === undefined) throw notDivisible(displayed?.path ?? 'a file')
  const done = partsOf(diffs.of(change)?.hunks ?? [], id)
  if (done.length > 0) return { change, pieces: done }
  const splits = new Set([...splitsIn(log.read()), id])
  const pieces = partsOf(diffs.withSplits(splits).of(change)?.hunks ?? [], id)
  if (pieces.length < 2) throw notDivisible(change.path)
  await log.append(splitRecord(by, { ...entryOf(change), hunks: [...hunks] }, pieces))
  return { change, pieces }
}

function partsOf(hunks: readonly PlainHunk[], id: string): string[] {
  return hunks.flatMap((hunk) => (hunk.partOf === id ? [hunk.id] : []))
}

function splitRecord(by: Reviewer, entry: ReviewEntry, pieces: string[]): ReviewRecord {
  return { kind: 'split', id: newId(), at: new Date().toISOString(), entries: [entry], by, pieces }
}

function notDivisible(path: string): EscrowError {
  const message = `This hunk of ${path} cannot be split: there is no unchanged line between its changes. Nothing was recorded.`
  return new EscrowError('unsupported', message, { hint: 'Decide on the whole hunk, or edit the file.' })
}

/**
 * Committing some pieces of a split hunk changes the lines around the rest, so the rest becomes another hunk with another id.
 * It is split again, and each verdict on a piece is recorded for the piece that has its lines now.
 */
export function recordsOfRest(
  slice: CommitSlice,
  current: CurrentVerdicts,
  splits: ReadonlySet<string>,
): ReviewRecord[] {
  const { of, change, part } = slice
  const remaining = part?.left.filter(({ partOf }) => partOf !== undefined) ?? []
  if (remaining.length === 0) return []
  const [base, staged] = [change.content(), of.content()]
  const entry = (hunks: HunkRef[]) => ({ path: change.path, before: change.after, after: of.after, hunks })
  const whole = diffFile(base, staged, change.path, splits).hunks
  const again = whole.filter((hunk) => remaining.filter((piece) => holds(hunk, piece)).length > 1)
  const rest = diffFile(base, staged, change.path, new Set([...splits, ...again.map(({ id }) => id)])).hunks
  const [by] = [...current.hunks.values(), ...(current.file ? [current.file] : [])].map((verdict) => verdict.by)
  const splitAgain = again.flatMap((hunk) => {
    const pieces = partsOf(rest, hunk.id)
    return pieces.length > 1 && by ? [splitRecord(by, entry([refOf(hunk)]), pieces)] : []
  })
  const verdicts = remaining.flatMap((piece) => {
    const verdict = current.hunks.get(piece.id) ?? current.file
    const now = rest.filter((hunk) => holds(hunk, piece) && hunk.id !== piece.id)
    return verdict && now.length > 0 ? [recordOf(verdict, [entry(now.map(refOf))])] : []
  })
  return [...splitAgain, ...verdicts]
}

/** Whether a hunk contains the first line that a piece changes. Both number the lines of the same staged file. */
function holds(hunk: PlainHunk, piece: PlainHunk): boolean {
  const at = changedAt(piece)
  return lineOf(hunk) <= at && at <= lineOf(hunk) + Math.max(0, hunk.newLines - 1) && changedAt(hunk) <= at
}

/** As in git, a hunk without new lines has the number of the line before it. */
function lineOf({ newStart, newLines }: PlainHunk): number {
  return newLines === 0 ? newStart + 1 : newStart
}

function changedAt(hunk: PlainHunk): number {
  const lines = hunk.text.split('\n').slice(1)
  return (
    lineOf(hunk) +
    Math.max(
      0,
      lines.findIndex((line) => line.startsWith('+') || line.startsWith('-')),
    )
  )
}
