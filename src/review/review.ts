import type { StagedChange } from '../../overlay/change.js'
import type { CommitResult, Review, Reviewer, Selection, Verdict } from '../core/api.js'
import { unsupported } from '../core/api-error.js'
import { newId } from '../core/ids.js'
import { toChangeSet } from './change-set.js'
import type { ReviewLog } from './log.js'
import { entryOf, type ReviewEntry, type VerdictRecord, verdictOf } from './record.js'
import { select } from './selection.js'
import { refuseChanged, refuseDrifted, type Shown, shownOf } from './shown.js'
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
  /** The base's bytes (a link's target) from the disk now; null where there is none. */
  before(change: StagedChange): Uint8Array | null
  /** Who reviews when a call does not say. */
  reviewer(): Reviewer
  /** Puts a verdict into the ledger. It comes first: what the ledger does not hold does not count. */
  onVerdict(verdict: Verdict): Promise<void>
  commit(
    changes: StagedChange[],
    options: { strict?: boolean; merge?: boolean; approvals: Map<string, Verdict> },
  ): Promise<CommitResult>
}

/** The person's side of one session. */
export function createReview(deps: ReviewDeps): Review {
  /** What the last `changes()` showed; undefined until it is called. */
  let shown: Shown[] | undefined
  const forget = (gone: ReadonlySet<string>) => {
    shown = shown?.filter(({ path }) => !gone.has(path))
  }
  const look = async () => shown ?? shownOf(await deps.stage(), new Set())

  return {
    sessionId: deps.sessionId,

    async changes() {
      const staged = await deps.stage()
      const { before, flags } = deps
      const set = toChangeSet(staged, { before, flags, verdicts: verdictState(deps.log.read()) })
      const drifted = set.changes.filter((change) => change.flags.includes('drifted'))
      shown = shownOf(staged, new Set(drifted.map(({ path }) => path)))
      return set
    },

    async approve(selection, by) {
      const [seen, staged] = [await look(), await deps.stage()]
      const now = new Set(staged.filter((change) => change.drifted).map((change) => change.path as string))
      const drifted = (each: Shown) => each.drifted || now.has(each.path)
      if (selection === undefined) {
        const verdicts = verdictState(deps.log.read())
        const rejected = new Set(staged.filter((change) => verdicts.of(change).state === 'rejected').map(pathOf))
        const rest = seen.filter((each) => !drifted(each) && !rejected.has(each.path))
        return give(deps, 'approved', rest, staged, by)
      }
      const chosen = select(selection, seen, deps)
      refuseDrifted(chosen, drifted)
      return give(deps, 'approved', chosen, staged, by)
    },

    async reject(selection, reason, by) {
      const chosen = select(selection, await look(), deps)
      return give(deps, 'rejected', chosen, await deps.stage(), by, reason)
    },

    async edit() {
      throw unsupported("A reviewer's own edit of a staged file")
    },

    async commit(options = {}) {
      const result = await commitApproved(deps, options)
      forget(new Set(result.committed))
      return result
    },

    async discard(selection) {
      const gone = await discardShown(deps, selection, await look())
      forget(new Set(gone.map(({ path }) => path)))
    },
  }
}

function pathOf(change: StagedChange): string {
  return change.path
}

/** Records one verdict on changes that must still be what was shown. No changes: nothing is recorded, the id is ''. */
async function give(
  deps: ReviewDeps,
  verdict: 'approved' | 'rejected',
  chosen: readonly Shown[],
  staged: readonly StagedChange[],
  by: Reviewer = deps.reviewer(),
  reason?: string,
): Promise<Verdict> {
  refuseChanged(chosen, staged)
  const said = { verdict, by, ...(reason !== undefined && { reason }) }
  const id = chosen.length === 0 ? '' : newId()
  const record: VerdictRecord = { kind: 'verdict', ...common(id, chosen), ...said }
  if (chosen.length > 0) {
    await deps.onVerdict(verdictOf(record))
    await deps.log.append(record)
  }
  return verdictOf(record)
}

function common(id: string, entries: readonly ReviewEntry[]) {
  const bare = entries.map(({ path, from, before, after }) => ({
    path,
    ...(from !== undefined && { from }),
    before,
    after,
  }))
  return { id, at: new Date().toISOString(), entries: bare }
}

async function commitApproved(deps: ReviewDeps, options: { strict?: boolean; merge?: boolean }): Promise<CommitResult> {
  if (options.merge === true) throw unsupported('A merging commit')
  const staged = await deps.stage()
  const verdicts = verdictState(deps.log.read())
  const approvals = new Map<string, Verdict>()
  const approved = staged.filter((change) => {
    const { state, verdict } = verdicts.of(change)
    if (state !== 'approved' || verdict === undefined) return false
    approvals.set(change.path, verdict)
    return true
  })
  if (approved.length === 0) return { id: '', seq: 0, committed: [], conflicts: [] }
  const result = await deps.commit(approved, { ...options, approvals })
  const committed = new Set(result.committed)
  const spent = approved.filter((change) => committed.has(change.path)).map(entryOf)
  // The commit is done and must be reported as done: approvals left unspent name bytes that are on disk by now.
  if (spent.length > 0) {
    await deps.log.append({ kind: 'committed', tx: result.id, ...common(newId(), spent) }).catch(() => undefined)
  }
  return result
}

async function discardShown(deps: ReviewDeps, selection: Selection | undefined, seen: readonly Shown[]) {
  const chosen = selection === undefined ? seen : select(selection, seen, deps)
  refuseChanged(chosen, await deps.stage())
  if (chosen.length > 0) await deps.log.append({ kind: 'discard', ...common(newId(), chosen) })
  return chosen
}
