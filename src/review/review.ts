import type { Digest, StagedChange } from '../../overlay/index.js'
import type { CommitResult, Quarantine, Review, Selection } from '../core/api.js'
import { defined } from '../core/defined.js'
import { newId } from '../core/ids.js'
import { checkedReviewer } from '../core/people.js'
import { amendmentState } from './amend.js'
import { ApprovedChanges } from './approved-changes.js'
import { BaseDiffs } from './base-diffs.js'
import { ReviewChecklist } from './checklist.js'
import { createDiffMemory } from './diff-memory.js'
import { type DisplayedChange, displayedOf, refuseChanged, refuseDrifted, refuseMarked } from './displayed-change.js'
import { type DecidableChanges, DisplayedStage } from './displayed-stage.js'
import type { ReviewLog } from './log.js'
import { keyOf } from './record.js'
import { ReviewQuestions } from './review-questions.js'
import type { ReviewEffects, ReviewStage } from './review-stage.js'
import { RuleApprovals } from './rule-approvals.js'
import { type Chosen, relativeName, type SelectionContext, select } from './selection.js'
import { splitHunk, splitsIn } from './split-hunk.js'
import { StageAmender } from './stage-amender.js'
import { decidedEntry, refuseWithoutRename, withVerdict } from './verdict-record.js'
import { unfitOf, VerdictWriter } from './verdict-writer.js'
import { verdictState } from './verdicts.js'

/** A review without its quarantine, which has no stage, and without checks and releases, which run commands. */
export type StageReview = Omit<Review, keyof Quarantine | 'check' | 'checks' | 'patches' | 'release'>

/** A review with the functions that a release by rule needs. */
export interface ReviewByRule {
  readonly rules: RuleApprovals
  /** Shows the changes with their risk, and returns what a verdict on each is bound to, in the same order. */
  changes(): Promise<DecidableChanges>
}

/**
 * The reviewer's side of one session's stage.
 * @param context the session, and the absolute root that absolute paths of a selection are under
 */
export function createReview(
  context: SelectionContext,
  log: ReviewLog,
  stage: ReviewStage,
  effects: ReviewEffects,
): StageReview & { readonly byRule: ReviewByRule } {
  const memory = createDiffMemory()
  const diffs = new BaseDiffs(stage, () => splitsIn(log.read()), memory)
  const displayed = new DisplayedStage(log, stage, diffs, memory)
  const verdicts = new VerdictWriter(log, diffs, effects)
  const amender = new StageAmender(log, stage, diffs)
  const approved = new ApprovedChanges(log, stage, diffs, amender, effects)
  const checklist = new ReviewChecklist(log, stage, diffs, effects)
  const questions = new ReviewQuestions(log, stage, effects)
  const choose = async (selection: Selection) => select(selection, await displayed.forSelection(selection), context)

  return {
    byRule: {
      rules: new RuleApprovals(log, stage, diffs, effects),
      changes: () => displayed.showDecidable({ risk: true }),
    },
    sessionId: context.sessionId,
    changes: (options) => displayed.show(options),

    async approve(selection, by) {
      const [from, staged] = [await displayed.forSelection(selection), await stage.changes()]
      if (selection === undefined) return verdicts.approveAll(from, staged, by)
      const records = log.read()
      const unfit = unfitOf(staged, amendmentState(records))
      const chosen = select(selection, from, context)
      refuseDrifted(chosen, (each) => each.drifted || unfit.drifted(each))
      refuseMarked(chosen, (each) => unfit.conflict(each) === 'markers')
      refuseWithoutRename(chosen, staged, verdictState(records))
      return verdicts.record('approved', chosen, staged, by)
    },

    async reject(selection, reason, by) {
      const chosen = await choose(selection)
      return verdicts.record('rejected', chosen, await stage.changes(), by, defined({ reason }))
    },

    async withdraw(selection, by) {
      const chosen = await choose(selection)
      const staged = await stage.changes()
      return verdicts.record('withdrawn', withVerdict(chosen, staged, verdictState(log.read())), staged, by)
    },

    async split(hunk, by = effects.reviewer()) {
      const chosen = await choose({ hunks: [hunk] })
      const { change, pieces } = await splitHunk(log, diffs, hunk, chosen, await stage.changes(), checkedReviewer(by))
      if (change.after) await displayed.refresh(change.path, change.after.digest)
      return pieces
    },

    async edit(given, content, by = effects.reviewer()) {
      const reviewer = checkedReviewer(by)
      const path = relativeName(given, context.root)
      const chosen = select([path], await displayed.forSelection(undefined), context)
      const staged = await stage.changes()
      refuseChanged(
        chosen.filter(({ change }) => change.path === path),
        staged,
        diffs,
      )
      const change = staged.find((each) => each.path === path && each.after?.type !== 'dir')
      if (change !== undefined) await displayed.refresh(path, await amender.edit(change, content, reviewer))
    },

    async commit(options = {}): Promise<CommitResult> {
      const { result, slices } = await approved.commit(options)
      displayed.afterCommit(slices, new Set(result.committed))
      return result
    },

    recordLanded: (paths, at) => approved.recordLanded(new Set(paths), at),

    async discard(selection) {
      const from = await displayed.forSelection(selection)
      const chosen = selection === undefined ? from.map((change) => ({ change })) : select(selection, from, context)
      await discard(chosen)
    },

    async content(given, side) {
      const path = relativeName(given, context.root)
      const change = await stage.changeAt(path)
      if (change === undefined || change[side] === null || change[side].type === 'dir') return undefined
      return side === 'after' ? change.content() : (stage.before(change) ?? undefined)
    },

    checklist: () => checklist.items(),
    tick: (intentId, criterion, ticked = true, by) => checklist.tick(intentId, criterion, ticked, by),
    snapshots: () => stage.snapshots(),
    questions: () => questions.open(),
    answer: (id, answer) => questions.answer(id, answer),
  }

  /** Discards new directories that a discard emptied. While they had contents, they were no changes of their own. */
  async function discardEmptied(discarded: readonly string[], known: ReadonlySet<string>): Promise<void> {
    const isEmptied = (change: StagedChange) =>
      change.kind === 'mkdir' &&
      !known.has(keyOf(change)) &&
      discarded.some((path) => path.startsWith(`${change.path}/`))
    for (;;) {
      const emptied = displayedOf((await stage.changes()).filter(isEmptied))
      if (emptied.length === 0) return
      const entries = emptied.map((change) => decidedEntry({ change }))
      await log.append({ kind: 'discard', id: newId(), at: new Date().toISOString(), entries, seq: stage.settledSeq() })
    }
  }

  /** Discards hunks by amending their files, and whole changes by one record. */
  async function discard(chosen: readonly Chosen<DisplayedChange>[]): Promise<void> {
    const staged = await stage.changes()
    refuseChanged(chosen, staged, diffs)
    const now = new Map(staged.map((change) => [keyOf(change), change]))
    const whole: Chosen<DisplayedChange>[] = []
    const amended: { readonly path: string; readonly content: Digest }[] = []
    for (const each of chosen) {
      const change = now.get(keyOf(each.change))
      const content = each.hunks && change && (await amender.discardHunks(change, each.hunks, effects.reviewer()))
      if (content === undefined) whole.push({ change: each.change })
      else amended.push({ path: each.change.path, content })
    }
    if (whole.length > 0) {
      const at = new Date().toISOString()
      const entries = whole.map(decidedEntry)
      await log.append({ kind: 'discard', id: newId(), at, entries, seq: stage.settledSeq() })
      const files = whole.filter(({ change }) => change.after?.type !== 'dir').map(({ change }) => change.path)
      if (files.length > 0) await discardEmptied(files, new Set(staged.map(keyOf)))
    }
    const amendedPaths = new Set(amended.map(({ path }) => path))
    displayed.remove(new Set(whole.flatMap(({ change: { path } }) => (amendedPaths.has(path) ? [] : [path]))))
    for (const { path, content } of amended) await displayed.refresh(path, content)
  }
}
