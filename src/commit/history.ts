import type { FileState } from '../../overlay/index.js'
import { entryStamp } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { defined } from '../core/defined.js'
import type { Layout } from '../core/layout.js'
import { readStart } from '../os/read.js'
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
  /** On a create or a move: the old path. */
  readonly from?: string
  /** A move of the same commit makes this change. */
  readonly carried?: true
}

export interface CommittedPlan {
  readonly seq: number
  readonly tx: string
  readonly sessionId: string
  /** The changes that reached the disk, in order; without conflicts and implied directories. */
  readonly changes: readonly CommittedChange[]
  /** The paths where someone else's version was left in place. */
  readonly left: ReadonlySet<string>
  /** Notes that the committer writes elsewhere after the commit. */
  readonly noted: readonly JsonObject[]
}

/** The number of the last finished commit; 0 before the first. */
export function lastCommit(layout: Layout, disk: Disk = realDisk): number {
  const { finished, floor } = finishedCommits(layout, disk)
  return finished.at(-1) ?? floor
}

/**
 * The last listing of each journal: sessions check it on each call, and usually nothing has changed. With it, the plans that were
 * read since, because a list of sessions reads the same plans for each of them.
 */
const listings = new Map<string, Finished & { readonly stamp: string }>()

interface Finished extends Pick<Journal, 'finished' | 'floor'> {
  readonly plans: Map<number, CommittedPlan>
}

/** The limit of changes in the plans that are kept in memory. */
const KEPT_CHANGES = 20_000

function finishedCommits(layout: Layout, disk: Disk): Finished {
  const stats = disk.lstat(layout.commits)
  const stamp = stats !== undefined && hasSettledMtime(stats) ? entryStamp(stats) : undefined
  const known = listings.get(layout.commits)
  if (known !== undefined && known.stamp === stamp) return known
  const { finished, floor } = readJournal(disk, layout)
  const plans = new Map<number, CommittedPlan>()
  if (stamp === undefined) listings.delete(layout.commits)
  else listings.set(layout.commits, { stamp, finished, floor, plans })
  return { finished, floor, plans }
}

/** The finished commits after `seq`, oldest first, for stages to reconcile with. */
export function committedSince(layout: Layout, seq: number, disk: Disk = realDisk): CommittedPlan[] {
  const { finished, plans } = finishedCommits(layout, disk)
  let changes = 0
  for (const plan of plans.values()) changes += plan.changes.length
  return finished.slice(finished.findLastIndex((each) => each <= seq) + 1).map((each) => {
    const known = plans.get(each)
    if (known !== undefined) return known
    const plan = committedPlan(layout, each, disk)
    changes += plan.changes.length
    if (changes <= KEPT_CHANGES) plans.set(each, plan)
    return plan
  })
}

/**
 * The finished commits of one session with the wanted numbers, oldest first. Reads only the start of other sessions'
 * plans.
 */
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
  const reached = changes.filter(({ implied, op, path }) => !implied && op !== 'move' && !left.has(path))
  return { seq, tx, sessionId, changes: withLaterEdits(reached).map(asCommitted), left, noted }
}

/** Joins a carried change and a later edit of the same path into one change from the first state to the last. */
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
  // Entries of pruned plans are never needed again.
  if (sessions.size > 4 * KEPT_PLANS) sessions.clear()
  if (!sessions.has(file)) sessions.set(file, /"sessionId":"([^"]*)"/.exec(readStart(file, PLAN_HEAD_BYTES))?.[1])
  return sessions.get(file)
}

/** A plan begins with its version, number, tx and session, whose id has at most 100 characters. */
const PLAN_HEAD_BYTES = 300

function asCommitted({ path, op, old, new: next, from, carried }: PlannedChange): CommittedChange {
  return { path, op, old, new: next, ...defined({ from }), ...(carried && { carried }) }
}

/** A finished commit that can still be undone. */
export interface KeptCommit extends CommittedPlan {
  /**
   * The old content of a path: a file's bytes or a symlink's target; undefined if there was neither. The file itself
   * is kept, so a program that still has it open, or writes to another of its names, may have changed it.
   */
  before(path: string): Uint8Array | undefined
}

/**
 * A commit by its `tx` or number, with the contents it replaced and the directories it made.
 * @throws EscrowError `undo_expired` once the replaced contents are pruned, `nothing_selected` if there is no such commit
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
  return new EscrowError('nothing_selected', `There is no finished commit ${id} in this workspace.`, {
    hint: "'escrow log' shows the id of each commit. The number before the dash is enough.",
  })
}

function undoExpired(id: string): EscrowError {
  return new EscrowError(
    'undo_expired',
    `The earlier content of commit ${id} is no longer kept, so it cannot be undone.`,
    {
      hint: 'It may still be in git.',
    },
  )
}
