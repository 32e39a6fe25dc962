import type { StagedChange } from '../../overlay/index.js'
import type { CommitOptions, CommitResult, LandedAt } from '../core/api.js'
import type { Refusal } from '../core/api-error.js'
import { defined } from '../core/defined.js'
import { amendmentState } from './amend.js'
import type { BaseDiffs } from './base-diffs.js'
import { checklistOf, refuseNewTicks, tickIdsOf, untickedOf } from './checklist.js'
import { commitSlicesOf, recordsOfSlices, refuseNewVerdicts, writeCommitted } from './commit-slices.js'
import { displayedOf } from './displayed-change.js'
import type { CommitSlice } from './judge.js'
import type { ReviewLog } from './log.js'
import { committedRecordsOf, keyOf } from './record.js'
import type { ReviewRecord } from './record-schema.js'
import type { ReviewEffects, ReviewStage } from './review-stage.js'
import { splitsIn } from './split-hunk.js'
import { type Merged, mergedCommit, needsApproval, type StageAmender } from './stage-amender.js'
import { rebindApprovals } from './verdict-record.js'
import { lostApprovals, refusedUnfit } from './verdict-writer.js'
import { type CurrentVerdicts, stateOf, verdictState } from './verdicts.js'

/** Commits the changes and hunks that reviewers approved. */
export class ApprovedChanges {
  constructor(
    private readonly log: ReviewLog,
    private readonly stage: ReviewStage,
    private readonly diffs: BaseDiffs,
    private readonly amender: StageAmender,
    private readonly effects: ReviewEffects,
  ) {}

  /** @returns the result, and the committed part of each change. */
  async commit(options: CommitOptions): Promise<{ result: CommitResult; slices: readonly CommitSlice[] }> {
    const merged = options.merge === true ? await this.#mergeDrifted() : []
    const committed = await this.#commitExcept(new Set(merged.map(({ path }) => path)), options)
    if (merged.length === 0) return committed
    const { result, slices } = committed
    if (result.id === '') throw mergedCommit(merged)
    return { result: { ...result, left: firstByPath(merged.map(needsApproval), result.left) }, slices }
  }

  /**
   * Merges the approved changes that have drifted. If nothing is approved, merges all drifted changes that nobody rejected, which can only
   * be approved after the merge.
   * @returns the changes that need a new verdict
   */
  async #mergeDrifted(): Promise<Merged[]> {
    const staged = await this.stage.changes()
    const verdicts = verdictState(this.log.read())
    const approved = staged.filter((change) => isApproved(verdicts.of(change)))
    const unrejected = staged.filter((change) => stateOf(verdicts.of(change).file) !== 'rejected')
    const left: Merged[] = []
    for (const change of approved.length > 0 ? approved : unrejected) {
      if (!change.drifted) continue
      const current = verdicts.of(change)
      const merged = await this.amender.mergeWithDisk(change, this.effects.reviewer())
      const approvals = this.effects.keepsApprovalOnMerge() ? rebindApprovals(merged, current, this.diffs) : undefined
      for (const record of approvals ?? []) await this.log.append(record)
      if (approvals === undefined) left.push(merged)
    }
    return left
  }

  async #commitExcept(excluded: ReadonlySet<string>, options: CommitOptions) {
    const staged = await this.stage.changes()
    const records = this.log.read()
    const verdicts = verdictState(records)
    const slices = commitSlicesOf(staged, verdicts, this.diffs).filter(({ of }) => !excluded.has(of.path))
    const left = refusedRest(slices, staged, records)
    if (slices.length === 0) return { result: { id: '', seq: 0, committed: [], conflicts: [], ...left }, slices: [] }
    const parts = new Map(slices.flatMap(({ of, part }) => (part ? [[of.path as string, of.after] as const] : [])))
    const changes = slices.map(({ change }) => change)
    const ticked = this.#checklist(changes, records)
    const notesFor = (tx: string) => recordsOfSlices(tx, slices, verdicts, splitsIn(records), ticked.spends)
    const result = await this.effects.commit(changes, {
      ...options,
      approvals: slices.flatMap((slice) => slice.verdicts),
      parts,
      checklist: ticked.items,
      assertApproved: () => {
        const now = this.log.read()
        refuseNewTicks(ticked.items, this.#checklist(changes, now).items)
        if (now !== records) refuseNewVerdicts(slices, verdicts, verdictState(now), this.diffs)
      },
      ...((parts.size > 0 || ticked.spends.length > 0) && { notesFor }),
    })
    const committed = new Set(result.committed)
    const notes = committedRecordsOf(notesFor(result.id), (path) => committed.has(path))
    // The commit is durable, so a failure here must not report it as failed: the next review of the session writes these.
    await writeCommitted(this.log, result.id, notes).catch(() => undefined)
    const rest = defined({ ...left, unticked: untickedOf(ticked.items) })
    return { result: { ...result, ...rest }, slices: slices.filter(({ change }) => committed.has(change.path)) }
  }

  /** @returns the recorded paths */
  async recordLanded(paths: ReadonlySet<string>, at: LandedAt): Promise<string[]> {
    const staged = (await this.stage.changes()).filter(({ path, drifted }) => paths.has(path) && !drifted)
    const slices = commitSlicesOf(staged, verdictState(this.log.read()), this.diffs).filter(({ part }) => !part)
    if (slices.length === 0) return []
    const approvals = slices.flatMap(({ verdicts }) => verdicts)
    await this.effects.recordLanded(
      slices.map(({ change }) => change),
      { at, approvals },
    )
    return slices.map(({ change }) => change.path)
  }

  #checklist(changes: readonly StagedChange[], records: readonly ReviewRecord[]) {
    const criteria = this.effects.criteria(changes)
    return { items: checklistOf(criteria, records), spends: tickIdsOf(criteria, records) }
  }
}

/** The refusals of changes that stay staged although a reviewer may expect them in the commit. */
function refusedRest(
  slices: readonly CommitSlice[],
  staged: readonly StagedChange[],
  records: readonly ReviewRecord[],
): { left?: Refusal[] } {
  const verdicts = verdictState(records)
  const taken = new Set(slices.map(({ of }) => keyOf(of)))
  const rest = displayedOf(staged).filter((each) => !taken.has(keyOf(each)))
  const unfit = refusedUnfit(rest, staged, amendmentState(records), verdicts)
  const left = firstByPath(unfit, lostApprovals(staged, verdicts))
  return left.length > 0 ? { left } : {}
}

/** All of it, or some of its hunks. */
function isApproved({ file, hunks }: CurrentVerdicts): boolean {
  return [file, ...hunks.values()].some((verdict) => stateOf(verdict) === 'approved')
}

/** Both lists; for a path that is in both, the entry of the first. */
function firstByPath(first: readonly Refusal[], second: readonly Refusal[] = []): Refusal[] {
  const paths = new Set(first.map(({ path }) => path))
  return [...first, ...second.filter(({ path }) => !paths.has(path))]
}
