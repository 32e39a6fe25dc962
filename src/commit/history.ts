import type { FileState } from '../../overlay/change.js'
import { EscrowError } from '../core/api-error.js'
import type { Layout } from '../core/layout.js'
import { type Disk, exists, realDisk } from './disk.js'
import { commitFile, conflictPaths, readJournal, readPlan, txDir } from './journal.js'
import { slotOf } from './stage.js'
import type { CommitOp, Plan, PlannedChange } from './types.js'

export interface CommittedChange {
  readonly path: string
  readonly op: CommitOp
  readonly old: FileState | null
  readonly new: FileState | null
}

export interface CommittedPlan {
  readonly seq: number
  readonly tx: string
  readonly sessionId: string
  /** What reached the disk, in the order it was applied; conflicts and implied directories are left out. */
  readonly changes: CommittedChange[]
}

/** The number of the last commit that is finished; 0 before the first. */
export function lastCommit(layout: Layout, disk: Disk = realDisk): number {
  return readJournal(disk, layout).finished.at(-1) ?? 0
}

/** The commits after `seq` that are published and finished, oldest first, for the owners of stages to settle against. */
export function committedSince(layout: Layout, seq: number, disk: Disk = realDisk): CommittedPlan[] {
  return readJournal(disk, layout)
    .finished.filter((finished) => finished > seq)
    .map((finished) => {
      const plan = readPlan(disk, `${commitFile(layout, finished)}.done`)
      const left = conflictPaths(disk, layout, finished)
      const changes = plan.changes.filter((change) => !change.implied && !left.has(change.path)).map(asCommitted)
      return { seq: plan.seq, tx: plan.tx, sessionId: plan.sessionId, changes }
    })
}

function asCommitted({ path, op, old, new: next }: PlannedChange): CommittedChange {
  return { path, op, old, new: next }
}

/** A finished commit that can still be undone. */
export interface KeptCommit extends CommittedPlan {
  /** What stood at a path before: a file's bytes, a symlink's target; undefined where nothing of the kind did. */
  before(path: string): Uint8Array | undefined
}

/** A commit by its `tx`, with the contents it replaced. Throws `undo_expired` once those have been let go. */
export function keptCommit(layout: Layout, tx: string, disk: Disk = realDisk): KeptCommit {
  const dir = txDir(layout, tx)
  const seq = Number(/^(\d+)-[0-9a-f]+$/.exec(tx)?.[1] ?? 0)
  const done = `${commitFile(layout, seq)}.done`
  if (seq === 0 || !exists(disk, `${dir}/plan`) || !exists(disk, done)) throw expired(tx)
  const plan = readPlan(disk, done)
  if (plan.tx !== tx) throw expired(tx)
  const left = conflictPaths(disk, layout, seq)
  const changes = plan.changes.filter((change) => !left.has(change.path))
  return {
    seq,
    tx,
    sessionId: plan.sessionId,
    changes: changes.map(asCommitted),
    before: (path) => contentBefore(disk, dir, plan, path),
  }
}

function contentBefore(disk: Disk, dir: string, plan: Plan, path: string): Uint8Array | undefined {
  const change = plan.changes.find((each) => each.path === path && (each.op === 'overwrite' || each.op === 'delete'))
  if (change === undefined) return undefined
  const { kept } = slotOf(dir, change)
  if (!exists(disk, kept)) return undefined
  return change.old?.type === 'symlink' ? disk.readlink(kept) : disk.readFile(kept)
}

function expired(tx: string): EscrowError {
  return new EscrowError('undo_expired', `What commit ${tx} replaced is no longer kept, so it cannot be undone.`, {
    hint: 'Earlier contents may still be in git.',
  })
}
