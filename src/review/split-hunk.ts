import type { StagedChange } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { newId } from '../core/ids.js'
import type { Reviewer } from '../core/people.js'
import { type Bases, baseDiff } from './change-set.js'
import { diffFile, type PlainHunk } from './diff.js'
import { type DisplayedChange, refuseChanged } from './displayed-change.js'
import { type CommitSlice, refOf } from './judge.js'
import type { ReviewLog } from './log.js'
import { entryOf, type HunkRef, keyOf, type ReviewEntry, type ReviewRecord } from './record.js'
import { select } from './selection.js'
import { recordOf } from './verdict-record.js'
import type { CurrentVerdicts } from './verdicts.js'

/** Ids of the hunks that reviewers have split; the path is in an id. */
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

interface SplitDeps extends Bases {
  readonly log: ReviewLog
  readonly root: string
  readonly sessionId: string
}

/** Writes down that a hunk is shown in pieces; nothing where it is already. Answers its file and the pieces' ids. */
export async function splitHunk(
  deps: SplitDeps,
  id: string,
  seen: readonly DisplayedChange[],
  staged: readonly StagedChange[],
  by: Reviewer,
): Promise<{ readonly change: StagedChange; readonly pieces: string[] }> {
  const chosen = select({ hunks: [id] }, seen, deps)
  const hunksOf = (change: StagedChange, splits = deps.splits?.()) =>
    baseDiff(change, { before: deps.before, splits: () => splits ?? new Set() })?.hunks ?? []
  refuseChanged(chosen, staged, (change) => new Set(hunksOf(change).map((hunk) => hunk.id)))
  const [{ change: shown, hunks } = {}] = chosen
  const change = shown && staged.find((each) => keyOf(each) === keyOf(shown))
  if (change === undefined || hunks === undefined) throw notDivisible(id)
  const done = partsOf(hunksOf(change), id)
  if (done.length > 0) return { change, pieces: done }
  const pieces = partsOf(hunksOf(change, new Set([...(deps.splits?.() ?? []), id])), id)
  if (pieces.length < 2) throw notDivisible(id)
  await deps.log.append(splitRecord(by, { ...entryOf(change), hunks: [...hunks] }, pieces))
  return { change, pieces }
}

function partsOf(hunks: readonly PlainHunk[], id: string): string[] {
  return hunks.flatMap((hunk) => (hunk.partOf === id ? [hunk.id] : []))
}

function splitRecord(by: Reviewer, entry: ReviewEntry, pieces: string[]): ReviewRecord {
  return { kind: 'split', id: newId(), at: new Date().toISOString(), entries: [entry], by, pieces }
}

function notDivisible(id: string): EscrowError {
  const message = `The hunk '${id}' cannot be split: no unchanged line stands between its changes. Nothing was recorded.`
  return new EscrowError('unsupported', message, { hint: 'Decide on it as a whole, or edit the file.' })
}

/**
 * What is left of a split hunk once some of its pieces have landed is another hunk, as what landed is around it now. It is
 * split again, and a no to a piece is written down for the piece that has its lines.
 */
export function recordsOfRest(
  landing: CommitSlice,
  standing: CurrentVerdicts,
  splits: ReadonlySet<string>,
): ReviewRecord[] {
  const { of, change, part } = landing
  const left = part?.left.filter(({ partOf }) => partOf !== undefined) ?? []
  if (left.length === 0) return []
  const [base, staged] = [change.content(), of.content()]
  const entry = (hunks: HunkRef[]) => ({ path: change.path, before: change.after, after: of.after, hunks })
  const whole = diffFile(base, staged, change.path, splits).hunks
  const again = whole.filter((hunk) => left.filter((piece) => holds(hunk, piece)).length > 1)
  const rest = diffFile(base, staged, change.path, new Set([...splits, ...again.map(({ id }) => id)])).hunks
  const [by] = [...standing.hunks.values(), ...(standing.file ? [standing.file] : [])].map((word) => word.by)
  const splitAgain = again.flatMap((hunk) => {
    const pieces = partsOf(rest, hunk.id)
    return pieces.length > 1 && by ? [splitRecord(by, entry([refOf(hunk)]), pieces)] : []
  })
  const verdicts = left.flatMap((piece) => {
    const word = standing.hunks.get(piece.id) ?? standing.file
    const now = rest.filter((hunk) => holds(hunk, piece) && hunk.id !== piece.id)
    return word && now.length > 0 ? [recordOf(word, [entry(now.map(refOf))])] : []
  })
  return [...splitAgain, ...verdicts]
}

/** Whether the first line that a piece changes is among those of a hunk; the staged file's lines are the same for both. */
function holds(hunk: PlainHunk, piece: PlainHunk): boolean {
  const at = changedAt(piece)
  return lineOf(hunk) <= at && at <= lineOf(hunk) + Math.max(0, hunk.newLines - 1) && changedAt(hunk) <= at
}

/** A hunk without new lines is numbered by the line before it. */
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
