import type { Digest, FileState, StagedChange } from '../../overlay/index.js'
import type { CommitOptions, CommitResult, Quarantine, Review, Selection, Snapshot, Verdict } from '../core/api.js'
import type { Refusal } from '../core/api-error.js'
import { newId } from '../core/ids.js'
import type { Mutation } from '../core/mutation.js'
import { withFrozenStamps } from '../host/cached-file.js'
import { amendmentState } from './amend.js'
import {
  type AmendDeps,
  discardHunks,
  editStaged,
  type Merged,
  mergedCommit,
  mergeMoved,
  needsApproval,
} from './amend-stage.js'
import { type AnswerDeps, answerQuestion, questionsOf } from './answer-question.js'
import { toChangeSet } from './change-set.js'
import { commitSlicesOf, recordsOfSlices, refuseRespoken, writeCommitted } from './commit-slices.js'
import { rememberDiffs } from './diff-memory.js'
import { type DisplayedChange, displayedOf, refuseChanged, refuseDrifted, refuseMarked } from './displayed-change.js'
import { type CommitSlice, refOf } from './judge.js'
import { committedRecordsOf, keyOf, type ReviewRecord } from './record.js'
import {
  approveAll,
  type GiveDeps,
  hunkIdsOf,
  leftOut,
  lostApprovals,
  recordVerdict,
  unfitOf,
} from './record-verdict.js'
import { namesHunks, relativeName, select } from './selection.js'
import { splitHunk, splitsIn } from './split-hunk.js'
import { carriedByMerge, type Decided, decidedEntry, onlyDecided, refuseUnnamed } from './verdict-record.js'
import { type CurrentVerdicts, stateOf, verdictState } from './verdicts.js'

/** What a review needs of the other rooms; the composition root gives it. */
export interface ReviewDeps extends AmendDeps, AnswerDeps, GiveDeps {
  readonly sessionId: string
  /** Absolute: absolute paths in a selection are under it. */
  readonly root: string
  /** The stage's snapshots, oldest first. */
  snapshots(): Promise<Snapshot[]>
  /** The stage as it is now, replayed afresh by each call. */
  stage(): Promise<StagedChange[]>
  flags(change: StagedChange): string[]
  /** What changes do to their files, compared with the bases. */
  mutations(staged: readonly StagedChange[]): Promise<ReadonlyMap<StagedChange, Mutation>>
  /** A clean merge stays approved, by the policy. */
  mergesUnasked(): boolean
  commit(changes: StagedChange[], options: CommitOptions & Approved): Promise<CommitResult>
}

interface Approved {
  readonly approvals: readonly Verdict[]
  /** Of the changes that land in part: path → what is staged there. */
  readonly parts: ReadonlyMap<string, FileState | null>
  /** Where files land in part: what the log is to have of it, whoever writes it there. */
  readonly notesFor?: (tx: string) => readonly ReviewRecord[]
  /** Throws where one of the approvals does not stand any more. */
  readonly assertApproved: () => void
}

/** A review without what never was staged. */
export type StageReview = Omit<Review, keyof Quarantine>

/** The person's side of one session. */
export function createReview(given: ReviewDeps): StageReview {
  const deps = { ...given, splits: () => splitsIn(given.log.read()), memory: rememberDiffs() }
  /** What the last `changes()` showed; undefined until it is called. */
  let shown: DisplayedChange[] | undefined
  const look = async (selection: Selection | undefined) => {
    if (shown !== undefined) return shown
    return namesHunks(selection) ? (await display(deps)).shown : displayedOf(await deps.stage())
  }
  /** Shows anew what the reviewer changed, if it came out as they wrote it. */
  const reshow = async (path: string, content: Digest) => {
    if (shown === undefined) return
    const now = (await display(deps)).shown.filter((each) => each.path === path)
    if (now.every(({ after }) => after?.digest === content)) {
      shown = shown.flatMap((each) => (each.path === path ? now.splice(0) : [each]))
    }
  }

  return {
    sessionId: deps.sessionId,

    async changes() {
      const { set, shown: seen } = await display(deps)
      shown = seen
      return set
    },

    async approve(selection, by) {
      const [seen, staged] = [await look(selection), await deps.stage()]
      if (selection === undefined) return approveAll(deps, seen, staged, by)
      const records = deps.log.read()
      const unfit = unfitOf(staged, amendmentState(records))
      const chosen = select(selection, seen, deps)
      refuseDrifted(chosen, (each) => each.drifted || unfit.drifted(each))
      refuseMarked(chosen, (each) => unfit.conflict(each) === 'markers')
      refuseUnnamed(chosen, staged, verdictState(records))
      return recordVerdict(deps, 'approved', chosen, staged, by)
    },

    async reject(selection, reason, by) {
      const chosen = select(selection, await look(selection), deps)
      return recordVerdict(deps, 'rejected', chosen, await deps.stage(), by, reason)
    },

    async withdraw(selection, by) {
      const chosen = select(selection, await look(selection), deps)
      const staged = await deps.stage()
      return recordVerdict(deps, 'withdrawn', onlyDecided(chosen, staged, verdictState(deps.log.read())), staged, by)
    },

    async split(hunk, by = deps.reviewer()) {
      const seen = await look({ hunks: [hunk] })
      const { change, pieces } = await splitHunk(deps, hunk, seen, await deps.stage(), by)
      if (change.after) await reshow(change.path, change.after.digest)
      return pieces
    },

    async edit(given, content, by = deps.reviewer()) {
      const path = relativeName(given, deps.root)
      const chosen = select([path], await look(undefined), deps).filter(({ change }) => change.path === path)
      const staged = await deps.stage()
      refuseChanged(chosen, staged, () => new Set())
      const change = staged.find((each) => each.path === path && each.after?.type !== 'dir')
      if (change !== undefined) await reshow(path, await editStaged(deps, change, content, by))
    },

    async commit(options = {}) {
      const merged = options.merge === true ? await mergeDrifted(deps) : []
      const held = new Set<string>(merged.map(({ path }) => path))
      const { result, landings } = await commitApproved(deps, options, held)
      if (merged.length > 0 && result.id === '') throw mergedCommit(merged)
      shown = shown && afterCommit(shown, landings, new Set(result.committed))
      return merged.length === 0 ? result : { ...result, left: byPath(merged.map(needsApproval), result.left) }
    },

    async discard(selection) {
      const seen = await look(selection)
      const chosen = selection === undefined ? seen.map((change) => ({ change })) : select(selection, seen, deps)
      const left = await discardChosen(deps, chosen)
      const gone = new Set(chosen.map(({ change }) => change.path).filter((path) => !left.has(path)))
      shown = shown?.filter(({ path }) => !gone.has(path))
      for (const [path, content] of left) await reshow(path, content)
    },

    async content(given, side) {
      const path = relativeName(given, deps.root)
      const change = (await deps.stage()).find((each) => each.path === path)
      if (change === undefined || change[side] === null || change[side].type === 'dir') return undefined
      return side === 'after' ? change.content() : (deps.before(change) ?? undefined)
    },

    snapshots: () => deps.snapshots(),
    questions: () => questionsOf(deps),
    answer: (id, answer) => answerQuestion(deps, id, answer),
  }
}

async function display(deps: ReviewDeps) {
  deps.memory?.turn()
  const staged = await deps.stage()
  const { before, isStill, flags, memory } = deps
  const records = deps.log.read()
  const [verdicts, amendments] = [verdictState(records), amendmentState(records)]
  const mutations = await deps.mutations(staged)
  const mutation = (change: StagedChange) => mutations.get(change)
  const splits = () => splitsIn(records)
  const views = { before, ...(isStill && { isStill }), splits, ...(memory && { memory }), flags, verdicts, amendments }
  const set = withFrozenStamps(() => toChangeSet(staged, { ...views, mutation }))
  return { set, shown: displayedOf(staged, set.changes) }
}

/**
 * Merges the approved changes that have drifted. Where nothing is approved: all that have drifted and nobody rejected, as these can
 * only be approved once they are merged.
 * @returns what needs a verdict of its own now.
 */
async function mergeDrifted(deps: ReviewDeps): Promise<Merged[]> {
  const staged = await deps.stage()
  const verdicts = verdictState(deps.log.read())
  const approved = staged.filter((change) => isApproved(verdicts.of(change)))
  const unrejected = staged.filter((change) => stateOf(verdicts.of(change).file) !== 'rejected')
  const left: Merged[] = []
  for (const change of approved.length > 0 ? approved : unrejected) {
    if (!change.drifted) continue
    const standing = verdicts.of(change)
    const merged = await mergeMoved(deps, change, deps.reviewer())
    const carried = deps.mergesUnasked() ? carriedByMerge(merged, standing, deps) : undefined
    for (const record of carried ?? []) await deps.log.append(record)
    if (carried === undefined) left.push(merged)
  }
  return left
}

/** All of it, or some of its hunks. */
function isApproved({ file, hunks }: CurrentVerdicts): boolean {
  return [file, ...hunks.values()].some((word) => stateOf(word) === 'approved')
}

/** Of two lists that speak of one path the first is heard. */
function byPath(first: readonly Refusal[], second: readonly Refusal[] = []): Refusal[] {
  const paths = new Set(first.map(({ path }) => path))
  return [...first, ...second.filter(({ path }) => !paths.has(path))]
}

/** @param held paths that stay staged, whatever was said of them. */
async function commitApproved(deps: ReviewDeps, options: CommitOptions, held: ReadonlySet<string>) {
  const staged = await deps.stage()
  const records = deps.log.read()
  const verdicts = verdictState(records)
  const found = commitSlicesOf(staged, verdicts, deps).filter(({ of }) => !held.has(of.path))
  const taken = new Set(found.map(({ of }) => keyOf(of)))
  const rest = displayedOf(staged).filter((each) => !taken.has(keyOf(each)))
  const refused = byPath(leftOut(rest, staged, amendmentState(records), verdicts), lostApprovals(staged, verdicts))
  const left = refused.length > 0 && { left: refused }
  if (found.length === 0) return { result: { id: '', seq: 0, committed: [], conflicts: [], ...left }, landings: [] }
  const approvals = found.flatMap((landing) => landing.verdicts)
  const changes = found.map(({ change }) => change)
  const parts = new Map(found.flatMap(({ of, part }) => (part ? [[of.path as string, of.after] as const] : [])))
  const notesFor = (tx: string) => recordsOfSlices(tx, found, verdicts, splitsIn(records))
  const assertApproved = () => {
    const now = deps.log.read()
    if (now !== records) refuseRespoken(found, verdicts, verdictState(now), deps)
  }
  const result = await deps.commit(changes, {
    ...options,
    approvals,
    parts,
    assertApproved,
    ...(parts.size > 0 && { notesFor }),
  })
  const committed = new Set(result.committed)
  const landed = committedRecordsOf(notesFor(result.id), (path) => committed.has(path))
  // The commit is done and must be reported as done: who looks at the session next writes down what is not written now.
  await writeCommitted(deps.log, result.id, landed).catch(() => undefined)
  return { result: { ...result, ...left }, landings: found.filter(({ change }) => committed.has(change.path)) }
}

/** What of the shown is left once a commit has landed: of a file that landed in part, the rest. */
function afterCommit(
  shown: readonly DisplayedChange[],
  landings: readonly CommitSlice[],
  committed: ReadonlySet<string>,
): DisplayedChange[] {
  const parts = new Map(landings.flatMap((landing) => (landing.part ? [[keyOf(landing.of), landing] as const] : [])))
  return shown.flatMap((each) => {
    const landing = parts.get(keyOf(each))
    if (landing?.part === undefined) return committed.has(each.path) ? [] : [each]
    const { from, ...rest } = each
    return [{ ...rest, before: landing.change.after, hunks: landing.part.left.map(refOf) }]
  })
}

/** @returns path → what is to be staged there now, of changes that lost some of their hunks only. */
async function discardChosen(deps: ReviewDeps, chosen: readonly Decided[]): Promise<Map<string, Digest>> {
  const staged = await deps.stage()
  refuseChanged(chosen, staged, hunkIdsOf(deps))
  const now = new Map(staged.map((change) => [keyOf(change), change]))
  const left = new Map<string, Digest>()
  const whole: Decided[] = []
  for (const each of chosen) {
    const change = now.get(keyOf(each.change))
    const content = each.hunks && change && (await discardHunks(deps, change, each.hunks, deps.reviewer()))
    if (content === undefined) whole.push({ change: each.change })
    else left.set(each.change.path, content)
  }
  if (whole.length === 0) return left
  const entries = whole.map(decidedEntry)
  const at = new Date().toISOString()
  await deps.log.append({ kind: 'discard', id: newId(), at, entries, seq: deps.settledSeq() })
  return left
}
