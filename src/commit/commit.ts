import { codeOf } from '../../overlay/index.js'
import type { Refusal } from '../core/api-error.js'
import type { Layout } from '../core/layout.js'
import { withProcessLock } from '../host/lock.js'
import { type Attempt, beginAttempt, discardAttempt, endAttempt } from './attempt.js'
import { approvedContent, attempt, type Checked, checkEntries } from './check.js'
import { type CommitRun, startCommitRun } from './commit-run.js'
import { type Disk, realDisk, sameInode } from './disk.js'
import { commitFile, prune, publishPlan, readJournal, UNDO_COMMITS } from './journal.js'
import { type Pins, parentOf, pinTree } from './pin.js'
import { encodePlan } from './plan.js'
import { finish, recoverLocked } from './recover.js'
import { busy, diskFailure, journalFailure, refusedCommit, unfinishedCommit } from './refusals.js'
import { stageEntries } from './stage.js'
import { ensureTxParent, syncTxParent, txDevice } from './tx-dir.js'
import type { CommitInput, CommitOutcome, JsonObject, Plan } from './types.js'

/** Times another holder of a broken lock may take our number before we give up. */
const TRIES = 5

/**
 * Takes entries to the disk: all of them or none, whatever cuts in. Unfinished commits are finished first.
 *
 * Throws an {@link EscrowError}: with `refused` naming every path that cannot be taken, nothing changed; `session_busy`
 * when the lock is not to be had; `limit_exceeded`, `access_denied` or `ledger_unavailable` for a disk that fails. Only
 * an error that says "decided but not finished" leaves a commit behind, which the next commit or open finishes.
 */
export async function commitEntries(input: CommitInput, disk: Disk = realDisk): Promise<CommitOutcome> {
  const course = startCommitRun(input)
  return withProcessLock(input.layout.locks, 'commit', async (lost) => {
    for (let turn = 0; turn < TRIES; turn += 1) {
      await recoverLocked(disk, input.layout, input.append)
      const prepared = await prepare(disk, input, lost, course)
      if (prepared === undefined) continue
      const { plan, looks } = prepared
      const append = (record: JsonObject) => input.append(record, true)
      const conflicts = await finish(disk, input.layout, plan, append, {
        course,
        isHopeless: () => false,
        looks,
      })
      letGo(disk, input)
      const left = new Set(conflicts.map((conflict) => conflict.path))
      const paths = new Set(input.entries.map((entry) => entry.path))
      return { seq: plan.seq, tx: plan.tx, committed: [...paths].filter((path) => !left.has(path)), conflicts }
    }
    throw busy()
  }).catch((error: unknown) => {
    throw journalFailure(error)
  })
}

interface Prepared extends Pick<Checked, 'looks'> {
  readonly plan: Plan
}

/** The commit is done: what of older ones cannot be cleared away now, the next commit clears away. */
function letGo(disk: Disk, { layout, undoable = UNDO_COMMITS }: CommitInput): void {
  try {
    prune(disk, layout, readJournal(disk, layout), undoable)
  } catch (error) {
    if (codeOf(error) === undefined) throw error
  }
}

/** Steps 2 to 6. Undefined when another commit took the number. Before the last of them the tree is untouched. */
async function prepare(
  disk: Disk,
  input: CommitInput,
  lost: () => boolean,
  course: CommitRun,
): Promise<Prepared | undefined> {
  const { layout } = input
  const pins = pinTree(disk, layout.root)
  let at: Attempt | undefined
  try {
    ensureJournal(disk, pins, layout)
    course.assertWanted()
    const checked = await checkEntries(disk, pins, input, txDevice(pins), course)
    if (checked.refused.length > 0) throw refusedCommit(withBadContent(checked))
    at = beginAttempt(disk, layout, readJournal(disk, layout).next)
    const plan = await writePlan(disk, input, checked, at, course)
    const moved = checked.recheck()
    if (moved.length > 0) throw refusedCommit(moved)
    if (lost()) throw busy()
    course.assertWanted()
    input.assertApproved?.()
    if (publishPlan(disk, layout, at.planFile, at.seq)) return { plan, looks: checked.looks }
    discardAttempt(disk, layout, at)
    return undefined
  } catch (error) {
    if (at !== undefined && isDecided(disk, layout, at)) throw unfinishedCommit(error, at.seq)
    if (at !== undefined) discardAttempt(disk, layout, at)
    throw diskFailure(error, 'Nothing was committed', 'Correct the cause, then commit again; the stage is as it was.')
  } finally {
    pins.close()
    if (at !== undefined) endAttempt(disk, layout, at)
  }
}

function ensureJournal(disk: Disk, pins: Pins, layout: Layout): void {
  ensureTxParent(disk, pins, layout)
  for (const path of [layout.attempts, layout.commits]) {
    const made = disk.ensurePrivateDir(path)
    const top = made === undefined ? path : parentOf(made)
    for (let dir = path; dir.length > top.length; dir = parentOf(dir)) disk.syncDir(parentOf(dir) || '/')
  }
}

/** Steps 3 and 4: everything the commit needs, durable, under a name nobody reads yet. */
async function writePlan(
  disk: Disk,
  input: CommitInput,
  checked: Checked,
  { seq, tx, dir, inode, name, planFile }: Attempt,
  course: CommitRun,
): Promise<Plan> {
  // First of all: a commit whose record cannot be written is refused before anything is.
  const records = input.records({ seq, tx })
  const staged = await stageEntries(disk, dir, checked, course)
  if (staged.refused.length > 0) throw refusedCommit(staged.refused)
  const { sessionId, strict = false } = input
  const noted = input.notesFor?.(tx) ?? []
  const { changes } = staged
  const more = noted.length > 0 ? { noted } : {}
  const plan: Plan = { version: 3, seq, tx, dir: { name, inode }, sessionId, strict, changes, records, ...more }
  disk.syncDir(dir)
  syncTxParent(disk, input.layout)
  disk.createFile(planFile, encodePlan(plan), 0o600, true)
  return plan
}

/** The refusals so far, and those for content that is not what was approved: all bad paths are named at once. */
function withBadContent(checked: Checked): Refusal[] {
  const refused = [...checked.refused]
  for (const entry of checked.entries) {
    if (entry.carried || (entry.op !== 'create' && entry.op !== 'overwrite')) continue
    const refusal = attempt(entry.path, () => {
      approvedContent(entry)
      return undefined
    })
    if (refusal !== undefined) refused.push(refusal)
  }
  return refused
}

/** True unless it is certain that the plan was not published. */
function isDecided(disk: Disk, layout: Layout, at: Attempt): boolean {
  try {
    return sameInode(disk, at.planFile, commitFile(layout, at.seq))
  } catch {
    return true
  }
}
