import type { FileState } from '../../overlay/index.js'
import { entryStamp } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { defined } from '../core/defined.js'
import type { Layout } from '../core/layout.js'
import { readStart } from '../host/read.js'
import { type Disk, exists, realDisk } from './disk.js'
import { hasSettledMtime } from './disk-state.js'
import { commitFile, conflictPaths, type Journal, KEPT_PLANS, readJournal, readPlan } from './journal.js'
import { openTx } from './tx-dir.js'
import { txPathsOf } from './tx-paths.js'
import type { CommitOp, JsonObject, Plan, PlannedChange } from './types.js'

export interface CommittedChange {
  readonly path: string
  readonly op: CommitOp
  readonly old: FileState | null
  readonly new: FileState | null
  /** Of a create or a move: where it was before. */
  readonly from?: string
  /** Done by a move of the same commit. */
  readonly carried?: true
}

export interface CommittedPlan {
  readonly seq: number
  readonly tx: string
  readonly sessionId: string
  /** What reached the disk, in the order it was applied; conflicts and implied directories are left out. */
  readonly changes: CommittedChange[]
  /** Of the paths that it named, those left to someone else's version. */
  readonly left: ReadonlySet<string>
  /** What its committer was to write down elsewhere. */
  readonly noted: readonly JsonObject[]
}

/** The number of the last commit that is finished; 0 before the first. */
export function lastCommit(layout: Layout, disk: Disk = realDisk): number {
  const { finished, floor } = finishedCommits(layout, disk)
  return finished.at(-1) ?? floor
}

/** What was listed last of a workspace's journal: sessions look at each call, and mostly nothing has come. */
const listed = new Map<string, Finished & { readonly look: string }>()

type Finished = Pick<Journal, 'finished' | 'floor'>

function finishedCommits(layout: Layout, disk: Disk): Finished {
  const stats = disk.lstat(layout.commits)
  const look = stats !== undefined && hasSettledMtime(stats) ? entryStamp(stats) : undefined
  const known = listed.get(layout.commits)
  if (known !== undefined && known.look === look) return known
  const { finished, floor } = readJournal(disk, layout)
  if (look === undefined) listed.delete(layout.commits)
  else listed.set(layout.commits, { look, finished, floor })
  return { finished, floor }
}

/** The commits after `seq` that are published and finished, oldest first, for the owners of stages to settle against. */
export function committedSince(layout: Layout, seq: number, disk: Disk = realDisk): CommittedPlan[] {
  return finishedCommits(layout, disk)
    .finished.filter((finished) => finished > seq)
    .map((finished) => committedPlan(layout, finished, disk))
}

/** The finished commits of one session whose numbers are wanted, oldest first. Of the others' plans the beginning is read, once. */
export function committedBy(
  layout: Layout,
  sessionId: string,
  isWanted: (seq: number) => boolean,
  disk: Disk = realDisk,
): CommittedPlan[] {
  return finishedCommits(layout, disk)
    .finished.filter((seq) => isWanted(seq) && sessionOf(layout, seq) === sessionId)
    .map((seq) => committedPlan(layout, seq, disk))
}

function committedPlan(layout: Layout, seq: number, disk: Disk): CommittedPlan {
  const { tx, sessionId, changes, noted = [] } = readPlan(disk, `${commitFile(layout, seq)}.done`)
  const left = conflictPaths(disk, layout, seq)
  const landed = changes.filter(({ implied, op, path }) => !implied && op !== 'move' && !left.has(path))
  return { seq, tx, sessionId, changes: withLaterEdits(landed).map(asCommitted), left, noted }
}

/** What a move carried along and was changed after it is one change, from what was there to what is there. */
function withLaterEdits(changes: readonly PlannedChange[]): PlannedChange[] {
  const edits = new Map(
    changes.filter(({ op }) => op === 'overwrite' || op === 'chmod').map((each) => [each.path, each]),
  )
  const isEdited = ({ carried, op, path }: PlannedChange) => carried && op === 'create' && edits.has(path)
  const edited = new Set(changes.filter(isEdited).map(({ path }) => path))
  return changes.flatMap((change) => {
    if (!edited.has(change.path)) return [change]
    return isEdited(change) ? [{ ...change, new: edits.get(change.path)?.new ?? null }] : []
  })
}

const sessions = new Map<string, string | undefined>()

function sessionOf(layout: Layout, seq: number): string | undefined {
  const file = `${commitFile(layout, seq)}.done`
  // Of plans that are pruned nobody asks any more.
  if (sessions.size > 4 * KEPT_PLANS) sessions.clear()
  if (!sessions.has(file)) sessions.set(file, /"sessionId":"([^"]*)"/.exec(readStart(file, PLAN_HEAD_BYTES))?.[1])
  return sessions.get(file)
}

/** A plan begins with its version, number, tx and session: an id is at most 100 characters. */
const PLAN_HEAD_BYTES = 300

function asCommitted({ path, op, old, new: next, from, carried }: PlannedChange): CommittedChange {
  return { path, op, old, new: next, ...defined({ from }), ...(carried && { carried }) }
}

/** A finished commit that can still be undone. */
export interface KeptCommit extends CommittedPlan {
  /**
   * What stood at a path before: a file's bytes, a symlink's target; undefined where nothing of the kind did. It is the
   * file itself that is kept: a program that still had it open, or another of its names, may have changed it since.
   */
  before(path: string): Uint8Array | undefined
}

/**
 * A commit by its `tx` or its number, with the contents it replaced and the directories it made.
 * Throws `undo_expired` once what it replaced has been let go, or where there was no such commit.
 */
export function keptCommit(layout: Layout, id: string, disk: Disk = realDisk): KeptCommit {
  const seq = Number(/^(\d{1,15})(?:-[0-9a-f]+)?$/.exec(id)?.[1] ?? 0)
  const done = `${commitFile(layout, seq)}.done`
  if (!exists(disk, done)) throw seq > 0 && seq <= lastCommit(layout, disk) ? undoExpired(id) : unknownCommit(id)
  const plan = readPlan(disk, done)
  if (id.includes('-') && plan.tx !== id) throw unknownCommit(id)
  const tx = openTx(disk, layout, plan.dir.name, plan.dir.inode)
  if (tx === undefined) throw undoExpired(id)
  tx.close()
  const left = conflictPaths(disk, layout, seq)
  const changes = plan.changes.filter((change) => !left.has(change.path))
  const replaced = new Map(changes.filter(({ op }) => REPLACES.has(op)).map((change) => [change.path, change]))
  return {
    seq,
    tx: plan.tx,
    sessionId: plan.sessionId,
    changes: changes.map(asCommitted),
    left,
    noted: plan.noted ?? [],
    before: (path) => contentBefore(disk, layout, plan, replaced.get(path)),
  }
}

const REPLACES = new Set<CommitOp>(['overwrite', 'delete'])

function contentBefore(
  disk: Disk,
  layout: Layout,
  { dir }: Plan,
  change: PlannedChange | undefined,
): Uint8Array | undefined {
  if (change === undefined) return undefined
  const tx = openTx(disk, layout, dir.name, dir.inode)
  if (tx === undefined) return undefined
  try {
    const { kept } = txPathsOf(tx.dir, change)
    if (!exists(disk, kept)) return undefined
    return change.old?.type === 'symlink' ? disk.readlink(kept) : disk.readFile(kept)
  } finally {
    tx.close()
  }
}

function unknownCommit(id: string): EscrowError {
  return new EscrowError('undo_expired', `There is no finished commit ${id} in this workspace.`, {
    hint: "'escrow log' shows behind each commit its id; the number before the id's dash will do.",
  })
}

function undoExpired(id: string): EscrowError {
  return new EscrowError('undo_expired', `What commit ${id} replaced is no longer kept, so it cannot be undone.`, {
    hint: 'Earlier contents may still be in git.',
  })
}
