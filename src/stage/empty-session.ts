import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { newId } from '../core/ids.js'
import type { Layout, SessionLayout } from '../core/layout.js'
import { takeOwnership } from '../os/owner.js'
import { ensurePrivateDir, removeTree, renameSync } from '../os/write.js'
import { openStageToRead } from './opened-stage.js'

/**
 * Removes a session in which nothing was ever staged, refused, asked or reviewed. Its records stay in the ledger.
 * @param unusedMs the milliseconds since a process last opened or closed it, below which it stays
 * @returns whether it was removed: it stays if there is anything else in it, or if a process holds it
 * @throws EscrowError `session_busy` if its owner is unknown; `ledger_unavailable` if its stage cannot be read
 */
export async function removeEmptySession(layout: Layout, sessionId: string, unusedMs: number): Promise<boolean> {
  const session = layout.session(sessionId)
  // Each owner creates and removes a file in it.
  const usedAt = statSync(session.dir, { throwIfNoEntry: false })?.mtimeMs
  if (usedAt === undefined || (unusedMs > 0 && Date.now() - usedAt < unusedMs)) return false
  const lease = await takeOwnership(session.owner, 0)
  if (lease === undefined) return false
  try {
    if (!isEmpty(layout, sessionId)) return false
    // Renamed first: whoever opens the session meanwhile makes a new directory, and nothing in it is removed.
    ensurePrivateDir(layout.removed)
    renameSync(session.dir, join(layout.removed, newId()))
  } finally {
    lease.release()
  }
  // Also those of a process that was killed here.
  for (const name of readdirSync(layout.removed)) removeTree(join(layout.removed, name))
  return true
}

function isEmpty(layout: Layout, sessionId: string): boolean {
  const session = layout.session(sessionId)
  if (!holdsOnlyStage(session)) return false
  const { stage } = openStageToRead(layout, sessionId)
  const hasNotes = [...stage.notes.values()].some((queue) => queue.length > 0)
  return stage.tree.empty && stage.bases.size === 0 && !hasNotes
}

/** Whether there are no verdicts, quarantined files, outputs or anything else, and no content was ever staged. */
function holdsOnlyStage({ dir, owner, stageLog, pack, meta, claim, socketFile }: SessionLayout): boolean {
  const known = new Set([owner, stageLog, pack, meta, claim, socketFile])
  const others = readdirSync(dir).filter((name) => {
    const path = join(dir, name)
    return !known.has(path) && !path.startsWith(`${owner}.`)
  })
  return others.length === 0 && (statSync(pack, { throwIfNoEntry: false })?.size ?? 0) === 0
}
