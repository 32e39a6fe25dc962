import { codeOf } from '../../overlay/index.js'
import { withProcessLock } from '../os/lock.js'
import { type CommitRun, startCommitRun } from './commit-run.js'
import { type Disk, realDisk } from './disk.js'
import { prune, readJournal, UNDO_COMMITS } from './journal.js'
import { nothingCommitted, type PreparedCommit, prepareCommit } from './prepare.js'
import { finish, recoverLocked } from './recover.js'
import { busy, journalFailure } from './refusals.js'
import type { CommitInput, CommitOutcome, JsonObject } from './types.js'

/** Largest number of attempts. An attempt fails if another process, whose lock is broken, takes its commit number. */
const TRIES = 5

/**
 * Writes entries to the disk: all or none, even if interrupted. Finishes unfinished commits first.
 *
 * Throws an {@link EscrowError}: with `refused` for every path that cannot be committed, and nothing changed;
 * `session_busy` when the lock is not free; `limit_exceeded`, `access_denied` or `ledger_unavailable` for a disk error.
 * Only an error that says "decided but not finished" leaves a commit behind, which the next commit or open finishes.
 */
export async function commitEntries(input: CommitInput, disk: Disk = realDisk): Promise<CommitOutcome> {
  const run = startCommitRun(input)
  return withProcessLock(input.layout.locks, 'commit', async (lost) => {
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      await recoverLocked(disk, input.layout, input.append)
      const prepared = await prepareCommit(disk, input, run)
      assertStillWanted(prepared, input, lost, run)
      if (prepared.publish()) return finishPublished(disk, input, prepared, run)
    }
    throw busy()
  }).catch((error: unknown) => {
    throw journalFailure(error)
  })
}

/** The last checks before the commit point. Discards the commit if one fails. */
function assertStillWanted(prepared: PreparedCommit, input: CommitInput, lost: () => boolean, run: CommitRun): void {
  try {
    prepared.assertUnchanged()
    if (lost()) throw busy()
    run.assertWanted()
    input.assertApproved?.()
  } catch (error) {
    prepared.discard()
    throw nothingCommitted(error)
  }
}

async function finishPublished(
  disk: Disk,
  input: CommitInput,
  { plan, statsByPath }: PreparedCommit,
  run: CommitRun,
): Promise<CommitOutcome> {
  const append = (record: JsonObject) => input.append(record, true)
  const conflicts = await finish(disk, input.layout, plan, append, { run, isPermanent: () => false, statsByPath })
  pruneOld(disk, input)
  const left = new Set(conflicts.map((conflict) => conflict.path))
  const paths = new Set(input.entries.map((entry) => entry.path))
  return { seq: plan.seq, tx: plan.tx, committed: [...paths].filter((path) => !left.has(path)), conflicts }
}

/** The commit is done. Old files that cannot be removed now are left to the next commit. */
function pruneOld(disk: Disk, { layout, undoable = UNDO_COMMITS }: CommitInput): void {
  try {
    prune(disk, layout, readJournal(disk, layout), undoable)
  } catch (error) {
    if (codeOf(error) === undefined) throw error
  }
}
