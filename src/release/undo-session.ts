import { codeOf, type FileState, sameState } from '../../overlay/index.js'
import { keptCommit, stageInverse, statesAfter, statesBefore } from '../commit/index.js'
import { EscrowError } from '../core/api-error.js'
import type { Layout } from '../core/layout.js'
import { takeOwnership } from '../host/owner.js'
import { ensurePrivateDir, makeDir, removeTree } from '../host/write.js'
import { ownStage, type StageStore } from '../stage/index.js'

/** What a session of {@link stageUndo} undoes. */
export interface Undone {
  /** Of the commit. */
  readonly tx: string
  /** True where `next` is what stood at a path before: putting it back needs no intent, and its lines are not new. */
  restores(path: string, next: FileState | null): boolean
}

/** The kind of the note that makes a session an undo. No agent can write one. */
const NOTE = 'undo'

/**
 * Stages the inverse of a commit in a session of its own, `undo-<number>`, and answers that session's id. The note that
 * makes it an undo is written last: a session cut off before it is refused at its commit.
 * @throws EscrowError `undo_expired`; `stale_file`, naming each path where something stands in the way.
 */
export async function stageUndo(layout: Layout, commitId: string): Promise<string> {
  const kept = keptCommit(layout, commitId)
  const after = statesAfter(kept)
  const id = newSession(layout, kept.seq)
  const { dir, owner } = layout.session(id)
  const lease = await takeOwnership(owner, 0)
  const store = ownStage(layout, id, {
    durability: 'process',
    credit: () => ({}),
    knownBase: (path) => (after.has(path) ? { state: after.get(path) ?? null } : undefined),
    touched: () => undefined,
  })
  let isStaged = false
  try {
    store.settle([])
    const refused = stageInverse(store.overlay, kept)
    if (refused.length > 0) {
      throw new EscrowError('stale_file', `Commit ${kept.tx} cannot be undone. Paths in the way: ${refused.length}.`, {
        refused,
        hint: 'Move these away, or put back what the commit left there; then undo it again.',
      })
    }
    store.enqueue(NOTE, kept.tx)
    isStaged = true
  } finally {
    store.close()
    lease?.release()
    if (!isStaged) removeTree(dir)
  }
  return id
}

/** The first name of its kind that is free, taken by the making of its directory. */
function newSession(layout: Layout, seq: number): string {
  ensurePrivateDir(layout.sessions)
  for (let turn = 1; ; turn += 1) {
    const id = turn === 1 ? `undo-${seq}` : `undo-${seq}-${turn}`
    try {
      makeDir(layout.session(id).dir, 0o700)
      return id
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
  }
}

/** What a session undoes; undefined for an agent's. Throws `undo_expired` once that commit's plan is no longer kept. */
export function undoneBy(layout: Layout, store: StageStore): Undone | undefined {
  const [tx] = store.queued(NOTE)
  if (typeof tx !== 'string') return undefined
  const before = statesBefore(keptCommit(layout, tx))
  return {
    tx,
    restores: (path, next) => {
      const state = before.get(path)
      // What the commit put there may go, also where it was in the place of something else.
      return state !== undefined && (next === null || sameState(state, next))
    },
  }
}
