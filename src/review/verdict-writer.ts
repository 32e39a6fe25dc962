import type { StagedChange } from '../../overlay/index.js'
import type { Verdict } from '../core/api.js'
import { EscrowError, type Refusal } from '../core/api-error.js'
import { changedOnDisk } from '../core/changed-on-disk.js'
import type { Reviewer } from '../core/people.js'
import type { ReleaseRule } from '../core/release-api.js'
import { type AmendmentState, amendmentState } from './amend.js'
import type { BaseDiffs } from './base-diffs.js'
import { type DisplayedChange, refuseChanged } from './displayed-change.js'
import type { ReviewLog } from './log.js'
import { keyOf, verdictOf } from './record.js'
import { checkedRecord } from './record-schema.js'
import type { ReviewEffects } from './review-stage.js'
import { allUnrejected, type Decided, verdictRecord } from './verdict-record.js'
import { stateOf, type VerdictState, verdictState } from './verdicts.js'

/** Attempts of an approval of everything, while other reviewers append. */
const TRIES = 20

/** Records verdicts: in the ledger first, then in the review log, where they take effect. */
export class VerdictWriter {
  constructor(
    private readonly log: Pick<ReviewLog, 'read' | 'append' | 'appendAfter'>,
    private readonly diffs: BaseDiffs,
    private readonly effects: Pick<ReviewEffects, 'reviewer' | 'recordVerdict'>,
  ) {}

  /**
   * Records one verdict on the chosen changes. With none chosen nothing is recorded and the id is ''.
   * @throws EscrowError `stale_file` if a change is no longer the one that was displayed
   */
  async record(
    verdict: Verdict['verdict'],
    chosen: readonly Decided[],
    staged: readonly StagedChange[],
    by: Reviewer = this.effects.reviewer(),
    more: { readonly reason?: string; readonly rule?: ReleaseRule } = {},
  ): Promise<Verdict> {
    refuseChanged(chosen, staged, this.diffs)
    // The ledger gets the verdict before the log, which would refuse it.
    const record = checkedRecord(verdictRecord(verdict, chosen, by, more))
    if (chosen.length > 0) {
      await this.effects.recordVerdict(verdictOf(record))
      await this.log.append(record)
    }
    return verdictOf(record)
  }

  /**
   * Approves each displayed change that can be approved and that nobody has rejected, even just before the append.
   * @throws EscrowError `stale_file`; `session_busy` if other reviewers append without a pause
   */
  async approveAll(
    displayed: readonly DisplayedChange[],
    staged: readonly StagedChange[],
    by: Reviewer = this.effects.reviewer(),
  ): Promise<Verdict> {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const records = this.log.read()
      const [amendments, verdicts] = [amendmentState(records), verdictState(records)]
      const unfit = unfitOf(staged, amendments)
      const fit = displayed.filter(
        (each) => !each.drifted && !unfit.drifted(each) && unfit.conflict(each) === undefined,
      )
      const chosen = allUnrejected(fit, staged, verdicts, this.diffs)
      refuseChanged(chosen, staged, this.diffs)
      const record = verdictRecord('approved', chosen, by)
      const verdict = verdictOf(record)
      const left = refusedUnfit(displayed, staged, amendments, verdicts)
      const append = () => this.log.appendAfter(records, record, () => this.effects.recordVerdict(verdict))
      if (chosen.length === 0 || (await append())) return { ...verdict, ...(left.length > 0 && { left }) }
    }
    const message = 'Other reviewers are recording verdicts at this moment. Nothing was recorded.'
    throw new EscrowError('session_busy', message, { hint: 'Try again.' })
  }
}

/** The displayed changes that cannot be approved as they are staged now. */
export function unfitOf(staged: readonly StagedChange[], amendments: AmendmentState) {
  const now = new Map(staged.map((change) => [keyOf(change), change]))
  return {
    drifted: (displayed: DisplayedChange) => now.get(keyOf(displayed))?.drifted === true,
    conflict: (displayed: DisplayedChange) => {
      const change = now.get(keyOf(displayed))
      return change && amendments.conflict(change)
    },
  }
}

/** A refusal for each change that has drifted or contains a conflict, unless a reviewer rejected it. */
export function refusedUnfit(
  changes: readonly DisplayedChange[],
  staged: readonly StagedChange[],
  amendments: AmendmentState,
  verdicts: VerdictState,
): Refusal[] {
  const now = new Map(staged.map((change) => [keyOf(change), change]))
  const unfit = unfitOf(staged, amendments)
  return changes.flatMap((displayed): Refusal[] => {
    const { path } = displayed
    const change = now.get(keyOf(displayed))
    if (change !== undefined && stateOf(verdicts.of(change).file) === 'rejected') return []
    if (displayed.drifted || unfit.drifted(displayed))
      return [{ path, reason: 'stale_file', message: changedOnDisk(path) }]
    if (unfit.conflict(displayed) === undefined) return []
    return [{ path, reason: 'stale_file', message: `${path} has a merge conflict that is not resolved.` }]
  })
}

/** A refusal for each change that was approved with another content. */
export function lostApprovals(staged: readonly StagedChange[], verdicts: VerdictState): Refusal[] {
  return staged.flatMap((change): Refusal[] => {
    const { path } = change
    const message = `${path} changed after it was approved.`
    return verdicts.of(change).lostApproval ? [{ path, reason: 'needs_approval', message }] : []
  })
}
