import type { StagedChange } from '../../overlay/index.js'
import type { Verdict } from '../core/api.js'
import { EscrowError, type Refusal } from '../core/api-error.js'
import type { Reviewer } from '../core/people.js'
import { type AmendmentState, amendmentState } from './amend.js'
import { type Bases, baseDiff } from './change-set.js'
import { type DisplayedChange, refuseChanged } from './displayed-change.js'
import type { ReviewLog } from './log.js'
import { keyOf, verdictOf } from './record.js'
import { allUnrejected, type Decided, verdictRecord } from './verdict-record.js'
import { stateOf, type VerdictState, verdictState } from './verdicts.js'

/** What the giving of verdicts needs. */
export interface GiveDeps extends Bases {
  readonly log: ReviewLog
  /** Who reviews when a call does not say. */
  reviewer(): Reviewer
  /** Puts a verdict into the ledger. It comes first: what the ledger does not hold does not count. */
  onVerdict(verdict: Verdict): Promise<void>
}

/** What of the staged changes cannot be approved as it is. */
export function unfitOf(staged: readonly StagedChange[], amendments: AmendmentState) {
  const now = new Map(staged.map((change) => [keyOf(change), change]))
  return {
    drifted: (shown: DisplayedChange) => now.get(keyOf(shown))?.drifted === true,
    conflict: (shown: DisplayedChange) => {
      const change = now.get(keyOf(shown))
      return change && amendments.conflict(change)
    },
  }
}

export const hunkIdsOf = (deps: Bases) => (change: StagedChange) =>
  new Set(baseDiff(change, deps)?.hunks.map(({ id }) => id))

/** Records one verdict on what must still be as it was shown. Nothing chosen: nothing is recorded, the id is ''. */
export async function recordVerdict(
  deps: GiveDeps,
  verdict: Verdict['verdict'],
  chosen: readonly Decided[],
  staged: readonly StagedChange[],
  by: Reviewer = deps.reviewer(),
  reason?: string,
): Promise<Verdict> {
  refuseChanged(chosen, staged, hunkIdsOf(deps))
  const record = verdictRecord(verdict, chosen, by, reason)
  if (chosen.length > 0) {
    await deps.onVerdict(verdictOf(record))
    await deps.log.append(record)
  }
  return verdictOf(record)
}

/** Changes that are not taken because they have drifted or hold a conflict, unless a person rejected them. */
export function leftOut(
  changes: readonly DisplayedChange[],
  staged: readonly StagedChange[],
  amendments: AmendmentState,
  verdicts: VerdictState,
): Refusal[] {
  const now = new Map(staged.map((change) => [keyOf(change), change]))
  const unfit = unfitOf(staged, amendments)
  return changes.flatMap((shown): Refusal[] => {
    const { path } = shown
    const change = now.get(keyOf(shown))
    if (change !== undefined && stateOf(verdicts.of(change).file) === 'rejected') return []
    if (shown.drifted || unfit.drifted(shown))
      return [{ path, reason: 'stale_file', message: `${path} was changed on disk since the agent saw it.` }]
    if (unfit.conflict(shown) === undefined) return []
    return [{ path, reason: 'stale_file', message: `${path} was merged with a conflict that nobody has settled.` }]
  })
}

/** Changes whose approval does not hold any more, as they are others by now. */
export function lostApprovals(staged: readonly StagedChange[], verdicts: VerdictState): Refusal[] {
  return staged.flatMap((change): Refusal[] => {
    const { path } = change
    const message = `${path} changed after it was approved.`
    return verdicts.of(change).lostApproval ? [{ path, reason: 'needs_approval', message }] : []
  })
}

/** How often a look at the log may be overtaken by other reviewers. */
const TRIES = 20

/** Everything shown that can be approved and that nobody has rejected: not while it is being written down, either. */
export async function approveAll(
  deps: GiveDeps,
  seen: readonly DisplayedChange[],
  staged: readonly StagedChange[],
  by: Reviewer = deps.reviewer(),
): Promise<Verdict> {
  for (let turn = 0; turn < TRIES; turn++) {
    const records = deps.log.read()
    const unfit = unfitOf(staged, amendmentState(records))
    const fit = seen.filter((each) => !each.drifted && !unfit.drifted(each) && unfit.conflict(each) === undefined)
    const chosen = allUnrejected(fit, staged, verdictState(records), deps)
    refuseChanged(chosen, staged, hunkIdsOf(deps))
    const record = verdictRecord('approved', chosen, by)
    const verdict = verdictOf(record)
    const left = leftOut(seen, staged, amendmentState(records), verdictState(records))
    if (chosen.length === 0 || (await deps.log.appendAfter(records, record, () => deps.onVerdict(verdict))))
      return { ...verdict, ...(left.length > 0 && { left }) }
  }
  const message = 'Other reviewers decide here without a pause; nothing was recorded.'
  throw new EscrowError('session_busy', message, { hint: 'Try again.' })
}
