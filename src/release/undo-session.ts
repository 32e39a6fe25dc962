import { codeOf, type FileState, sameState } from '../../overlay/index.js'
import { type KeptCommit, keptCommit, stageInverse, statesAfter, statesBefore } from '../commit/index.js'
import { EscrowError, type Refusal } from '../core/api-error.js'
import type { Layout } from '../core/layout.js'
import { takeOwnership } from '../host/owner.js'
import { ensurePrivateDir, makeDir, removeTree } from '../host/write.js'
import { openStage, ownStage, type StageStore } from '../stage/index.js'

/** What a session of {@link stageUndo} undoes. */
export interface Undone {
  /** Of the commits, the oldest first. */
  readonly txs: readonly string[]
  /** True where `next` is what stood at a path before: putting it back needs no intent, and its lines are not new. */
  restores(path: string, next: FileState | null): boolean
}

/** The kind of the note that makes a session an undo. No agent can write one. */
const NOTE = 'undo'

/**
 * Stages the inverse of commits, the newest first, in a session of its own (`undo-3`, `undo-3-to-5`), and answers that session's id.
 * The note that makes it an undo is written last: a session cut off before it is refused at its commit.
 * @throws EscrowError `undo_expired`; `stale_file`, naming each path where something stands in the way: then nothing is staged.
 */
export async function stageUndo(layout: Layout, commitIds: readonly string[]): Promise<string> {
  const found = new Map(commitIds.map((id) => keptCommit(layout, id)).map((kept) => [kept.seq, kept]))
  const newestFirst = [...found.values()].sort((a, b) => b.seq - a.seq)
  const txs = newestFirst.map(({ tx }) => tx).reverse()
  if (txs.length === 0) throw new EscrowError('nothing_selected', 'No commit to undo was named.')
  const { base, gaps } = chainOf(newestFirst)
  if (gaps.length > 0) throw inTheWay(txs, gaps, 'Undo the commits that made them as well, or fewer commits.')
  const id = newSession(layout, sessionName(newestFirst.map(({ seq }) => seq)))
  const { dir, owner } = layout.session(id)
  const lease = await takeOwnership(owner, 0)
  const store = ownStage(openStage(layout, id, { durability: 'process' }), {
    credit: () => ({}),
    knownBase: (path) => (base.has(path) ? { state: base.get(path) ?? null } : undefined),
    touched: () => undefined,
  })
  let isStaged = false
  try {
    store.settle([])
    const refused = newestFirst.flatMap((kept) => stageInverse(store.overlay, kept))
    if (refused.length > 0)
      throw inTheWay(txs, refused, 'Move these away, or put back what the commit left there; then undo it again.')
    store.enqueue(NOTE, noteOf(txs))
    isStaged = true
  } finally {
    store.close()
    lease?.release()
    if (!isStaged) removeTree(dir)
  }
  return id
}

/** The commits of an undo as stage and ledger have them: one commit's id stands by itself, as earlier versions wrote it. */
export function noteOf(txs: readonly string[]): string | string[] {
  const [first = '', ...others] = txs
  return others.length === 0 ? first : [first, ...others]
}

function inTheWay(txs: readonly string[], refused: Refusal[], hint: string): EscrowError {
  const what = txs.length === 1 ? `Commit ${txs[0]}` : `Commits ${txs.join(', ')}`
  return new EscrowError('stale_file', `${what} cannot be undone. Paths in the way: ${refused.length}.`, {
    refused,
    hint,
  })
}

/** What the newest commit left at each path, and the paths that a commit between two of these has changed, too. */
function chainOf(newestFirst: readonly KeptCommit[]) {
  const base = new Map<string, FileState | null>()
  /** What stands at each path once the newer commits are undone. */
  const undone = new Map<string, FileState | null>()
  const gaps: Refusal[] = []
  for (const kept of newestFirst) {
    for (const [path, after] of statesAfter(kept)) {
      const known = undone.get(path)
      if (known === undefined) base.set(path, after)
      else if (!sameState(known, after)) {
        const message = `${path} was changed after commit ${kept.tx} by a commit that is not undone.`
        gaps.push({ path, reason: 'stale_file', message })
      }
    }
    for (const [path, before] of statesBefore(kept)) undone.set(path, before)
  }
  return { base, gaps }
}

function sessionName(seqs: readonly number[]): string {
  const [first, last] = [Math.min(...seqs), Math.max(...seqs)]
  return first === last ? `undo-${last}` : `undo-${first}-to-${last}`
}

/** The first name of its kind that is free, taken by the making of its directory. */
function newSession(layout: Layout, name: string): string {
  ensurePrivateDir(layout.sessions)
  for (let turn = 1; ; turn += 1) {
    const id = turn === 1 ? name : `${name}-${turn}`
    try {
      makeDir(layout.session(id).dir, 0o700)
      return id
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
  }
}

/** What a session undoes; undefined for an agent's. Throws `undo_expired` once a commit's plan is no longer kept. */
export function undoneBy(layout: Layout, store: StageStore): Undone | undefined {
  const [note] = store.queued(NOTE)
  const txs = [note].flat().filter((tx) => typeof tx === 'string')
  if (txs.length === 0) return undefined
  const newestFirst = txs.map((tx) => keptCommit(layout, tx)).reverse()
  // Of two commits of one path the older one's is put back.
  const before = new Map(newestFirst.flatMap((kept) => [...statesBefore(kept)]))
  return {
    txs,
    restores: (path, next) => {
      const state = before.get(path)
      // What the commit put there may go, also where it was in the place of something else.
      return state !== undefined && (next === null || sameState(state, next))
    },
  }
}
