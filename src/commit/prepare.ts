import type { Refusal } from '../core/api-error.js'
import type { Layout } from '../core/layout.js'
import { type Attempt, beginAttempt, discardAttempt, endAttempt } from './attempt.js'
import { approvedContent, attempt, type Checked, checkEntries } from './check.js'
import type { CommitRun } from './commit-run.js'
import { type Disk, sameInode } from './disk.js'
import { commitFile, publishPlan, readJournal } from './journal.js'
import { assertLinkable } from './linkable.js'
import { type Pins, parentOf, pinTree } from './pin.js'
import { encodePlan } from './plan.js'
import { diskFailure, refusedCommit, unfinishedCommit } from './refusals.js'
import { stageEntries } from './stage.js'
import { ensureTxParent, syncTxParent, txDevice } from './tx-dir.js'
import type { CommitInput, Plan } from './types.js'

/**
 * A durable plan under a name that nobody reads yet, with all its contents. The tree is untouched. Publish or discard
 * it, once.
 */
export interface PreparedCommit extends Pick<Checked, 'statsByPath'> {
  readonly plan: Plan
  /** Throws EscrowError for the paths that have changed on disk since the check. */
  assertUnchanged(): void
  /**
   * The commit point: from here on the commit happens, even if another process has to finish it. Returns false if
   * another commit took the number; then nothing is left behind.
   * @throws EscrowError that says "decided but not finished" if the plan may be published, else that nothing was
   * committed
   */
  publish(): boolean
  /** Removes everything that was prepared. */
  discard(): void
}

/**
 * Checks the entries and writes the plan. Leaves nothing behind if it fails.
 * @throws EscrowError with `refused` for every bad path, or for a disk error
 */
export async function prepareCommit(disk: Disk, input: CommitInput, run: CommitRun): Promise<PreparedCommit> {
  const { layout } = input
  const pins = pinTree(disk, layout.root)
  let at: Attempt | undefined
  const release = () => {
    pins.close()
    if (at !== undefined) endAttempt(disk, layout, at)
  }
  const discard = () => {
    try {
      if (at !== undefined) discardAttempt(disk, layout, at)
    } finally {
      release()
    }
  }
  try {
    ensureJournal(disk, pins, layout)
    run.assertWanted()
    const checked = await checkEntries(disk, pins, input, txDevice(pins), run)
    if (checked.refused.length > 0) throw refusedCommit(withBadContent(checked))
    const begun = beginAttempt(disk, layout, readJournal(disk, layout).next)
    at = begun
    const plan = await writePlan(disk, input, checked, begun, run)
    return {
      plan,
      statsByPath: checked.statsByPath,
      assertUnchanged() {
        const changed = checked.recheck()
        if (changed.length > 0) throw refusedCommit(changed)
      },
      publish() {
        let isPublished = false
        try {
          isPublished = publishPlan(disk, layout, begun.planFile, begun.seq)
        } catch (error) {
          if (!isDecided(disk, layout, begun)) {
            discard()
            throw nothingCommitted(error)
          }
          release()
          throw unfinishedCommit(error, begun.seq)
        }
        if (isPublished) release()
        else discard()
        return isPublished
      },
      discard,
    }
  } catch (error) {
    discard()
    throw nothingCommitted(error)
  }
}

/** Converts an error before the commit point to an EscrowError. An EscrowError is returned as it is. */
export function nothingCommitted(error: unknown): unknown {
  return diskFailure(error, 'Nothing was committed', 'then commit again. The staged changes are kept.')
}

function ensureJournal(disk: Disk, pins: Pins, layout: Layout): void {
  ensureTxParent(disk, pins, layout)
  for (const path of [layout.attempts, layout.commits]) {
    const made = disk.ensurePrivateDir(path)
    const top = made === undefined ? path : parentOf(made)
    for (let dir = path; dir.length > top.length; dir = parentOf(dir)) disk.syncDir(parentOf(dir) || '/')
  }
}

/** Stages the contents and writes the plan, durably. */
async function writePlan(
  disk: Disk,
  input: CommitInput,
  checked: Checked,
  { seq, tx, dir, inode, name, planFile }: Attempt,
  run: CommitRun,
): Promise<Plan> {
  // First: a commit whose record cannot be written is refused before any file is written.
  const records = input.records({ seq, tx })
  const staged = await stageEntries(disk, dir, checked, run)
  if (staged.refused.length > 0) throw refusedCommit(staged.refused)
  assertLinkable(disk, dir, staged.changes)
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

/** The refusals so far, and those of content that was not approved, so that one error reports all bad paths. */
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

/** Whether the plan may be published. False only if it was certainly not published. */
function isDecided(disk: Disk, layout: Layout, at: Attempt): boolean {
  try {
    return sameInode(disk, at.planFile, commitFile(layout, at.seq))
  } catch {
    return true
  }
}
