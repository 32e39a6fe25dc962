import type { StagedChange } from '../../overlay/change.js'
import type { CommitResult, Review, Reviewer, Selection, Verdict } from '../core/api.js'
import { unsupported } from '../core/api-error.js'
import { newId } from '../core/ids.js'
import { baseDiff, toChangeSet } from './change-set.js'
import { type Landing, landingOf, refOf } from './judge.js'
import type { ReviewLog } from './log.js'
import { entryOf, keyOf, type ReviewEntry, verdictOf } from './record.js'
import { namesHunks, select } from './selection.js'
import { refuseChanged, refuseDrifted, type Shown, shownOf } from './shown.js'
import {
  allUnrejected,
  carriedOver,
  type Decided,
  decidedEntry,
  refuseUnnamed,
  verdictRecord,
} from './verdict-record.js'
import { verdictState } from './verdicts.js'

/** What a review needs of the other rooms; the composition root gives it. */
export interface ReviewDeps {
  readonly sessionId: string
  /** Absolute: absolute paths in a selection are under it. */
  readonly root: string
  readonly log: ReviewLog
  /** The stage as it is now, replayed afresh by each call. */
  stage(): Promise<StagedChange[]>
  flags(change: StagedChange): string[]
  /** The base's bytes (a link's target); where they are not to be had, what the disk holds now, or null. */
  before(change: StagedChange): Uint8Array | null
  /** Who reviews when a call does not say. */
  reviewer(): Reviewer
  /** Puts a verdict into the ledger. It comes first: what the ledger does not hold does not count. */
  onVerdict(verdict: Verdict): Promise<void>
  commit(
    changes: StagedChange[],
    options: { strict?: boolean; merge?: boolean; approvals: readonly Verdict[] },
  ): Promise<CommitResult>
}

/** The person's side of one session. */
export function createReview(deps: ReviewDeps): Review {
  /** What the last `changes()` showed; undefined until it is called. */
  let shown: Shown[] | undefined
  const look = async (selection: Selection | undefined) => {
    if (shown !== undefined) return shown
    return namesHunks(selection) ? (await display(deps)).shown : shownOf(await deps.stage())
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
      const now = new Set(staged.filter((change) => change.drifted).map((change) => change.path as string))
      const drifted = (each: Shown) => each.drifted || now.has(each.path)
      const verdicts = verdictState(deps.log.read())
      if (selection === undefined) {
        const rest = seen.filter((each) => !drifted(each))
        return give(deps, 'approved', allUnrejected(rest, staged, verdicts, deps), staged, by)
      }
      const chosen = select(selection, seen, deps)
      refuseDrifted(chosen, drifted)
      refuseUnnamed(chosen, staged, verdicts)
      return give(deps, 'approved', chosen, staged, by)
    },

    async reject(selection, reason, by) {
      const chosen = select(selection, await look(selection), deps)
      return give(deps, 'rejected', chosen, await deps.stage(), by, reason)
    },

    async edit() {
      throw unsupported("A reviewer's own edit of a staged file")
    },

    async commit(options = {}) {
      const { result, landings } = await commitApproved(deps, options)
      shown = shown && afterCommit(shown, landings, new Set(result.committed))
      return result
    },

    async discard(selection) {
      const seen = await look(selection)
      const chosen = selection === undefined ? seen.map((change) => ({ change })) : select(selection, seen, deps)
      await discardChosen(deps, chosen)
      const gone = new Set(chosen.map(({ change }) => change.path))
      shown = shown?.filter(({ path }) => !gone.has(path))
    },
  }
}

async function display(deps: ReviewDeps) {
  const staged = await deps.stage()
  const { before, flags } = deps
  const set = toChangeSet(staged, { before, flags, verdicts: verdictState(deps.log.read()) })
  return { set, shown: shownOf(staged, set.changes) }
}

const hunkIdsOf = (deps: ReviewDeps) => (change: StagedChange) =>
  new Set(baseDiff(change, deps)?.hunks.map(({ id }) => id))

/** Records one verdict on what must still be as it was shown. Nothing chosen: nothing is recorded, the id is ''. */
async function give(
  deps: ReviewDeps,
  verdict: 'approved' | 'rejected',
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

async function commitApproved(deps: ReviewDeps, options: { strict?: boolean; merge?: boolean }) {
  if (options.merge === true) throw unsupported('A merging commit')
  const staged = await deps.stage()
  const verdicts = verdictState(deps.log.read())
  const found = staged.flatMap((change) => {
    return landingOf(change, verdicts.of(change), () => baseDiff(change, deps)) ?? []
  })
  if (found.length === 0) return { result: { id: '', seq: 0, committed: [], conflicts: [] }, landings: [] }
  const approvals = found.flatMap((landing) => landing.verdicts)
  const changes = found.map(({ change }) => change)
  const result = await deps.commit(changes, { ...options, approvals })
  const committed = new Set(result.committed)
  const landings = found.filter(({ change }) => committed.has(change.path))
  // The commit is done and must be reported as done: approvals left unspent name bytes that are on disk by now.
  await recordCommit(deps, result, landings).catch(() => undefined)
  return { result, landings }

  async function recordCommit({ log }: ReviewDeps, { id: tx }: CommitResult, landed: readonly Landing[]) {
    if (landed.length === 0) return
    const at = new Date().toISOString()
    await log.append({ kind: 'committed', tx, id: newId(), at, entries: landed.map(spentEntry) })
    for (const landing of landed) {
      for (const record of carriedOver(landing, verdicts.of(landing.of))) await log.append(record)
    }
  }
}

function spentEntry({ of, part }: Landing): ReviewEntry {
  return { ...entryOf(of), ...(part && { hunks: part.landed.map(refOf) }) }
}

/** What of the shown is left once a commit has landed: of a file that landed in part, the rest. */
function afterCommit(shown: readonly Shown[], landings: readonly Landing[], committed: ReadonlySet<string>): Shown[] {
  const parts = new Map(landings.flatMap((landing) => (landing.part ? [[keyOf(landing.of), landing] as const] : [])))
  return shown.flatMap((each) => {
    const landing = parts.get(keyOf(each))
    if (landing?.part === undefined) return committed.has(each.path) ? [] : [each]
    const { from, ...rest } = each
    return [{ ...rest, before: landing.change.after, hunks: landing.part.left.map(refOf) }]
  })
}

async function discardChosen(deps: ReviewDeps, chosen: readonly Decided[]): Promise<void> {
  if (chosen.some(({ hunks }) => hunks !== undefined)) throw unsupported('Discarding single hunks')
  refuseChanged(chosen, await deps.stage(), hunkIdsOf(deps))
  if (chosen.length === 0) return
  const at = new Date().toISOString()
  await deps.log.append({ kind: 'discard', id: newId(), at, entries: chosen.map(decidedEntry) })
}
