import { existsSync } from 'node:fs'
import { codeOf, diffStage, type FileState, sameState } from '../../overlay/index.js'
import {
  committedSince,
  type KeptCommit,
  keptCommit,
  stageInverse,
  statesAfter,
  statesBefore,
} from '../commit/index.js'
import { EscrowError, type Refusal } from '../core/api-error.js'
import type { Layout } from '../core/layout.js'
import { takeOwnership } from '../os/owner.js'
import { assertInPlace } from '../os/workspace-state.js'
import { ensurePrivateDir, makeDir, removeTree } from '../os/write.js'
import type { AmendmentState, AmendRecord } from '../review/index.js'
import { openStage, ownStage, readStage, type StageStore } from '../stage/index.js'

/** The commits that an undo session undoes. */
export interface Undone {
  /** The ids of the commits, oldest first. */
  readonly txs: readonly string[]
  /** Whether `next` is the state of a path before the commits. Restoring it needs no intent, and its lines have their old authors. */
  restores(path: string, next: FileState | null): boolean
  /** Whether `next` is that state, or what a reviewer has made of it in the review. No agent wrote either, so neither needs an intent. */
  isByPerson(path: string, next: FileState | null): boolean
}

/** Kind of the note that marks a session as an undo. Agents cannot write notes. */
const NOTE = 'undo'

/**
 * Stages the inverse of commits, newest first, in a new session (`undo-3`, `undo-3-to-5`). The note that marks it as an undo
 * is written last: after an earlier crash, its commit is refused.
 * @returns the id of the session
 * @throws EscrowError `undo_expired`; `stale_file` with each path in the way; `nothing_selected` if the disk already has the earlier
 * states; nothing is staged then
 */
export async function stageUndo(layout: Layout, commitIds: readonly string[]): Promise<string> {
  assertInPlace(layout)
  const found = new Map(commitIds.map((id) => keptCommit(layout, id)).map((kept) => [kept.seq, kept]))
  const newestFirst = [...found.values()].sort((a, b) => b.seq - a.seq)
  const txs = newestFirst.map(({ tx }) => tx).reverse()
  if (txs.length === 0) throw new EscrowError('nothing_selected', 'No commit was given.')
  const { base, gaps } = combineCommits(newestFirst)
  if (gaps.length > 0)
    throw cannotUndo(txs, gaps, 'Also undo the commits that changed these paths, or undo fewer commits.')
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
      throw cannotUndo(txs, refused, 'Move these paths away, or restore the committed files there. Then undo again.')
    if (diffStage(store.overlay).changes.length === 0) throw nothingToUndo(layout, newestFirst)
    store.enqueue(NOTE, undoNoteOf(txs))
    isStaged = true
  } finally {
    store.close()
    lease?.release()
    if (!isStaged) removeTree(dir)
  }
  return id
}

/** Formats the undone commits for the note and the ledger: one id as a string, as earlier versions did, several as a list. */
export function undoNoteOf(txs: readonly string[]): string | string[] {
  const [first = '', ...others] = txs
  return others.length === 0 ? first : [first, ...others]
}

function cannotUndo(txs: readonly string[], refused: Refusal[], hint: string): EscrowError {
  const what = txs.length === 1 ? `Commit ${txs[0]}` : `Commits ${txs.join(', ')}`
  return new EscrowError('stale_file', `${what} cannot be undone. Paths in the way: ${refused.length}.`, {
    refused,
    hint,
  })
}

/** @param newestFirst commits whose inverse changes nothing */
function nothingToUndo(layout: Layout, newestFirst: readonly KeptCommit[]): EscrowError {
  const txs = newestFirst.map(({ tx }) => tx).reverse()
  const what = txs.length === 1 ? `commit ${txs[0]}` : `commits ${txs.join(', ')}`
  const oldest = Math.min(...newestFirst.map(({ seq }) => seq))
  const undoing = committedSince(layout, oldest).filter(({ sessionId }) => {
    const undone = undoneIn(layout, sessionId)
    return txs.some((tx) => undone.includes(tx))
  })
  const by = undoing.map(({ tx, sessionId }) => `commit ${tx} of session ${sessionId}`).join(' and ')
  const why = by === '' ? 'The files on disk are as they were before' : `It was undone by ${by}`
  return new EscrowError('nothing_selected', `There is nothing to undo of ${what}. ${why}.`, {
    hint:
      by === ''
        ? "See the commits with 'escrow log'."
        : `To restore it, undo ${undoing.map(({ tx }) => tx).join(' and ')}.`,
  })
}

/** The commits that a session undoes, by its note; none for a session that is gone. */
function undoneIn(layout: Layout, sessionId: string): readonly string[] {
  return existsSync(layout.session(sessionId).dir) ? notedIn(readStage(layout, sessionId)) : []
}

function notedIn(store: Pick<StageStore, 'queued'>): string[] {
  const [note] = store.queued(NOTE)
  return [note].flat().filter((tx) => typeof tx === 'string')
}

/** The state that the newest commit left at each path, and the paths that a commit in between changed without being undone. */
function combineCommits(newestFirst: readonly KeptCommit[]) {
  const base = new Map<string, FileState | null>()
  /** The state of each path once the newer commits are undone. */
  const undone = new Map<string, FileState | null>()
  const gaps: Refusal[] = []
  for (const kept of newestFirst) {
    for (const [path, after] of statesAfter(kept)) {
      const known = undone.get(path)
      if (known === undefined) base.set(path, after)
      else if (!sameState(known, after)) {
        const message = `${path} was changed after commit ${kept.tx} by a later commit that is not being undone.`
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

/** Creates the directory of the first free name, so only one process gets it. */
function newSession(layout: Layout, name: string): string {
  ensurePrivateDir(layout.sessions)
  for (let attempt = 1; ; attempt += 1) {
    const id = attempt === 1 ? name : `${name}-${attempt}`
    try {
      makeDir(layout.session(id).dir, 0o700)
      return id
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
  }
}

/**
 * The commits that a session undoes; undefined for an agent's session.
 * @throws EscrowError `undo_expired` for a commit whose plan was pruned
 */
export function undoneBy(layout: Layout, store: StageStore, amendments: AmendmentState): Undone | undefined {
  const txs = notedIn(store)
  if (txs.length === 0) return undefined
  const newestFirst = txs.map((tx) => keptCommit(layout, tx)).reverse()
  // Where two of them changed one path, the older one's state is restored.
  const before = new Map(newestFirst.flatMap((kept) => [...statesBefore(kept)]))
  const restores = (path: string, next: FileState | null) => {
    const state = before.get(path)
    // Removing what a commit wrote counts as restoring, even where it had replaced something else.
    return state !== undefined && (next === null || sameState(state, next))
  }
  const isByPerson = (path: string, next: FileState | null) =>
    restores(path, next) || isAmended(before.get(path) ?? null, next, amendments.of({ path }))
  return { txs, restores, isByPerson }
}

/** Whether a person's amendments alone lead from the restored state to the staged one: nothing that an agent wrote came between. */
function isAmended(restored: FileState | null, next: FileState | null, amendments: readonly AmendRecord[]): boolean {
  if (restored?.type !== 'file' || next?.type !== 'file' || restored.mode !== next.mode) return false
  let at: string | undefined = restored.digest
  for (const { content, reading, entries } of amendments) {
    if (content !== undefined) at = reading !== true && entries[0]?.after?.digest === at ? content : undefined
  }
  return at === next.digest
}
