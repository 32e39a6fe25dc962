import type { Layout } from '../core/layout.js'
import { withProcessLock } from '../os/lock.js'
import { applyPlan, notInPlace, type Site } from './apply.js'
import { orphans, removeTransaction } from './attempt.js'
import { startCommitRun } from './commit-run.js'
import { type Disk, exists, realDisk } from './disk.js'
import { commitFile, conflictPaths, finishPlan, type Journal, noteConflicts, readJournal, readPlan } from './journal.js'
import { pinTree } from './pin.js'
import { journalFailure, unfinishedCommit } from './refusals.js'
import { openTx } from './tx-dir.js'
import { txPathsOf } from './tx-paths.js'
import type { Conflict, JsonObject, Plan } from './types.js'

type Append = (record: JsonObject) => Promise<void>

export interface Recovered {
  /** Published commits that are now in place, with their ledger record. */
  readonly finished: number[]
  /** Attempts that did not reach the commit point. Their files are removed. */
  readonly removed: string[]
  /** `kept`: the path of our own version, relative to the root; absent if it was a removal. */
  readonly conflicts: (Conflict & { readonly seq: number; readonly kept?: string })[]
}

/**
 * Finishes the work of dead processes: applies every published commit, and removes every other attempt. Idempotent.
 * With nothing to do, it lists two directories and takes no lock.
 * @throws EscrowError `ledger_corrupt` when a plan cannot be read, or the reason of a disk error
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
    // A permanent error would fail again each time, and must not block all later commits.
    const conflicts = await finish(disk, layout, plan, append, {
      run: startCommitRun(),
      isPermanent: (code) => PERMANENT.has(code),
    })
    recovered.finished.push(seq)
    recovered.conflicts.push(
      ...conflicts.map((conflict) => ({ seq, ...conflict, ...keptOf(disk, layout, plan, conflict) })),
    )
  }
  for (const tx of orphans(disk, layout, () => numbersOf(readJournal(disk, layout)))) {
    removeTransaction(disk, layout, tx)
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

const PERMANENT = new Set([
  'EACCES',
  'EPERM',
  'EBUSY',
  'EXDEV',
  'ETXTBSY',
  'ENAMETOOLONG',
  'EINVAL',
  'ELOOP',
  'ENOTDIR',
])

/** Another process took over while this one was stopped, and has finished the plan. */
class FinishedElsewhere extends Error {}

/**
 * Steps 7 to 10 of a published plan: apply, append to the ledger, mark as done. If another process does all that while this one is
 * stopped, the rest is left out, and the conflicts are those that it noted.
 */
export async function finish(
  disk: Disk,
  layout: Layout,
  plan: Plan,
  append: Append,
  how: Pick<Site, 'isPermanent' | 'statsByPath' | 'run'>,
): Promise<Conflict[]> {
  const assertUnfinished = () => {
    // Without its directory, the journal itself was removed.
    if (!exists(disk, commitFile(layout, plan.seq)) && exists(disk, layout.commits)) throw new FinishedElsewhere()
  }
  try {
    // The commit point must survive a power cut before the tree is changed.
    disk.syncDir(layout.commits)
    const pins = pinTree(disk, layout.root)
    const moves = plan.changes.filter(({ op }) => op === 'move')
    const tx = openTx(disk, layout, plan.dir.name, plan.dir.inode)
    let conflicts: Conflict[]
    try {
      conflicts = tx
        ? await applyPlan({ disk, pins, moves, root: layout.root, dir: tx.dir, assertUnfinished, ...how }, plan)
        : notInPlace(disk, pins, plan)
    } finally {
      pins.close()
      tx?.close()
    }
    assertUnfinished()
    noteConflicts(disk, layout, plan, conflicts)
    for (const record of plan.records) await append(record)
    finishPlan(disk, layout, plan.seq)
    return conflicts
  } catch (error) {
    if (error instanceof FinishedElsewhere)
      return [...conflictPaths(disk, layout, plan.seq)].map((path) => ({ path, reason: 'stale_file' }))
    throw unfinishedCommit(error, plan.seq)
  }
}
