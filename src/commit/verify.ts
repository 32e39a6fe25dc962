import { codeOf } from '../../overlay/errno.js'
import { type Disk, exists, linkInPlace } from './disk.js'
import { putBack } from './place.js'
import type { Slot } from './stage.js'
import { isState, standingAt } from './standing.js'
import type { PlannedChange } from './types.js'

/**
 * Looks once more at what was taken out of the tree: an editor that had the file open may have saved into it while it
 * was replaced. Their version goes back to its place and ours to the transaction's directory.
 * @returns false when that was so.
 */
export function isKeptApproved(disk: Disk, target: string, slot: Slot, change: PlannedChange): boolean {
  if (change.op !== 'overwrite' && change.op !== 'delete') return true
  if (!exists(disk, slot.kept) || isState(standingAt(disk, slot.kept), change.old)) return true
  if (change.op === 'delete') putBack(disk, slot.kept, target)
  else if (isState(standingAt(disk, target), change.new)) exchange(disk, target, slot)
  return false
}

function exchange(disk: Disk, target: string, slot: Slot): void {
  try {
    linkInPlace(disk, target, slot.fresh)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
  disk.rename(slot.kept, target)
}
