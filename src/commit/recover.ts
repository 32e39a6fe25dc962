import type { Layout } from '../core/layout.js'
import { withProcessLock } from '../host/lock.js'
import { applyPlan, notInPlace, type Site } from './apply.js'
import { orphans, removeNoted } from './attempt.js'
import { startCommitRun } from './commit-run.js'
import { type Disk, exists, realDisk } from './disk.js'
import { commitFile, finishPlan, type Journal, noteConflicts, readJournal, readPlan } from './journal.js'
import { pinTree } from './pin.js'
import { journalFailure, unfinishedCommit } from './refusals.js'
import { openTx } from './tx-dir.js'
import { txPathsOf } from './tx-paths.js'
import type { Conflict, JsonObject, Plan } from './types.js'

type Append = (record: JsonObject) => Promise<void>

export interface Recovered {
  /** Commits that had been decided and are in place now, their ledger record included. */
  readonly finished: number[]
  /** Attempts that never came to the commit point; their files are gone. */
  readonly removed: string[]
  /** `kept`: where our own version is, relative to the root; absent where that was a removal. */
  readonly conflicts: (Conflict & { readonly seq: number; readonly kept?: string })[]
}

/**
 * Finishes what a dead process left: every published commit is rolled forward, every other attempt removed. Idempotent;
 * two directory listings and no lock when there is nothing to do.
 * Throws `ledger_corrupt` when a plan cannot be read, and the reason for a disk that fails.
 */
export async function recover(layout: Layout, append: Append, disk: Disk = realDisk): Promise<Recovered> {
  try {
    const journal = readJournal(disk, layout)
    const isClean =
      journal.unfinished.length + journal.late.length === 0 &&
      orphans(disk, layout, () => numbersOf(journal)).length === 0
    if (isClean) return { finished: [], removed: [], conflicts: [] }
    return await withProcessLock(layout.locks, 'commit', () => recoverLocked(disk, layout, append))
  } catch (error) {
    throw journalFailure(error)
  }
}

/** As {@link recover}, for a caller that holds the commit lock. */
export async function recoverLocked(disk: Disk, layout: Layout, append: Append): Promise<Recovered> {
  const journal = readJournal(disk, layout)
  const recovered: Recovered = { finished: [], removed: [], conflicts: [] }
  for (const seq of journal.late) disk.unlink(commitFile(layout, seq))
  for (const seq of journal.unfinished) {
    const plan = readPlan(disk, commitFile(layout, seq))
    // What failed for good once will fail for good again, and must not block every later commit.
    const conflicts = await finish(disk, layout, plan, append, {
      run: startCommitRun(),
      isHopeless: (code) => HOPELESS.has(code),
    })
    recovered.finished.push(seq)
    recovered.conflicts.push(
      ...conflicts.map((conflict) => ({ seq, ...conflict, ...keptOf(disk, layout, plan, conflict) })),
    )
  }
  for (const tx of orphans(disk, layout, () => numbersOf(readJournal(disk, layout)))) {
    removeNoted(disk, layout, tx)
    recovered.removed.push(tx)
  }
  return recovered
}

function keptOf(disk: Disk, layout: Layout, plan: Plan, { path }: Conflict): { readonly kept?: string } {
  const change = plan.changes.find((each) => each.path === path && each.new !== null && !each.carried)
  if (change === undefined) return {}
  const tx = openTx(disk, layout, plan.dir.name, plan.dir.inode)
  if (tx === undefined) return {}
  try {
    if (!exists(disk, txPathsOf(tx.dir, change).fresh)) return {}
    return { kept: txPathsOf(`${layout.tx}/${plan.dir.name}`, change).fresh.slice(layout.root.length + 1) }
  } finally {
    tx.close()
  }
}

function numbersOf({ unfinished, finished }: Journal): Set<number> {
  return new Set([...unfinished, ...finished])
}

const HOPELESS = new Set(['EACCES', 'EPERM', 'EBUSY', 'EXDEV', 'ETXTBSY', 'ENAMETOOLONG', 'EINVAL', 'ELOOP', 'ENOTDIR'])

/** Steps 7 to 10 of a published plan: apply, ledger, done. */
export async function finish(
  disk: Disk,
  layout: Layout,
  plan: Plan,
  append: Append,
  how: Pick<Site, 'isHopeless' | 'looks' | 'run'>,
): Promise<Conflict[]> {
  try {
    // The commit point itself must outlive a power cut before the tree is touched.
    disk.syncDir(layout.commits)
    const pins = pinTree(disk, layout.root)
    const moves = plan.changes.filter(({ op }) => op === 'move')
    const tx = openTx(disk, layout, plan.dir.name, plan.dir.inode)
    let conflicts: Conflict[]
    try {
      conflicts = tx
        ? await applyPlan({ disk, pins, moves, root: layout.root, dir: tx.dir, ...how }, plan)
        : notInPlace(disk, pins, plan)
    } finally {
      pins.close()
      tx?.close()
    }
    noteConflicts(disk, layout, plan, conflicts)
    for (const record of plan.records) await append(record)
    finishPlan(disk, layout, plan.seq)
    return conflicts
  } catch (error) {
    throw unfinishedCommit(error, plan.seq)
  }
}
