import { type StagedChange, sameState } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { BY_DIFF } from '../core/hint-commands.js'
import { newId } from '../core/ids.js'
import type { BaseDiffs } from './base-diffs.js'
import { type CommitSlice, commitSliceOf, refOf } from './judge.js'
import type { ReviewLog } from './log.js'
import { entryOf } from './record.js'
import type { ReviewEntry, ReviewRecord } from './record-schema.js'
import { recordsOfRest } from './split-hunk.js'
import { remainingRejection } from './verdict-record.js'
import type { CurrentVerdicts, VerdictState } from './verdicts.js'

/** The approved part of each staged change. */
export function commitSlicesOf(
  staged: readonly StagedChange[],
  verdicts: VerdictState,
  diffs: BaseDiffs,
): CommitSlice[] {
  return staged.flatMap((change) => commitSliceOf(change, verdicts.of(change), () => diffs.of(change)) ?? [])
}

/**
 * The records that a commit adds to the review log. The `committed` record comes last, after the verdicts that still
 * apply to the rest of each file, so a log that contains it contains all of them.
 * @param ticks the ids of the ticks that the commit spends
 */
export function recordsOfSlices(
  tx: string,
  slices: readonly CommitSlice[],
  verdicts: VerdictState,
  splits: ReadonlySet<string>,
  ticks: readonly string[],
): ReviewRecord[] {
  const rest = slices.flatMap((slice) => {
    const current = verdicts.of(slice.of)
    return [...remainingRejection(slice, current), ...recordsOfRest(slice, current, splits)]
  })
  const at = new Date().toISOString()
  const entries = slices.map(consumedEntry)
  return [...rest, { kind: 'committed', tx, id: newId(), at, entries, ...(ticks.length > 0 && { ticks: [...ticks] }) }]
}

/** Attempts to append a record before another reviewer does. */
const TRIES = 20

/**
 * Records a commit in the review log, once: another process may have recorded it for the committer, and a second record would
 * consume verdicts given since.
 * @throws EscrowError `session_busy` if other reviewers append without a pause; the next review of the session tries again
 */
export async function writeCommitted(log: ReviewLog, tx: string, records: readonly ReviewRecord[]): Promise<void> {
  for (const record of records) {
    let isWritten = false
    for (let attempt = 0; attempt < TRIES && !isWritten; attempt++) {
      const known = log.read()
      if (known.some((each) => each.kind === 'committed' && each.tx === tx)) return
      isWritten = await log.appendAfter(known, record, async () => undefined)
    }
    if (!isWritten) throw new EscrowError('session_busy', `Commit ${tx} could not be recorded in the review log.`)
  }
}

function consumedEntry({ of, part }: CommitSlice): ReviewEntry {
  return { ...entryOf(of), ...(part && { hunks: part.taken.map(refOf) }) }
}

/**
 * @param was the verdicts that gave these slices
 * @throws EscrowError `stale_file` if a later verdict changes a slice, or the state of the hunks it leaves
 */
export function refuseNewVerdicts(
  slices: readonly CommitSlice[],
  was: VerdictState,
  now: VerdictState,
  diffs: BaseDiffs,
): void {
  const refused = slices.flatMap(({ of, change, part }) => {
    const [next] = commitSlicesOf([of], now, diffs)
    const isSame = next !== undefined && sameState(next.change.after, change.after)
    const left = part?.left.map(({ id }) => id) ?? []
    if (isSame && left.every((id) => verdictIdOn(id, was.of(of)) === verdictIdOn(id, now.of(of)))) return []
    const message = `A reviewer changed the verdict on ${change.path} during the commit.`
    return [{ path: change.path as string, reason: 'stale_file', message }]
  })
  if (refused.length === 0) return
  const message = `Nothing was committed. ${refused.map((each) => each.message).join(' ')}`
  throw new EscrowError('stale_file', message, {
    refused,
    hint: `Look at the changes again ${BY_DIFF}, then commit.`,
  })
}

function verdictIdOn(id: string, { file, hunks }: CurrentVerdicts): string | undefined {
  return (hunks.get(id) ?? file)?.id
}
