import { codeOf } from '../../overlay/index.js'
import { linkInPlace } from './disk.js'
import { diskStateAt, isState } from './disk-state.js'
import { isApproved, type Placing, putBack } from './place.js'

/**
 * Checks again the old file that was moved out of the tree: an editor that had it open may have saved into it while it
 * was replaced. In that case the old file is put back, and our version is kept in the transaction's directory.
 * @returns false in that case
 */
export function isKeptApproved(placing: Placing): boolean {
  const { disk, target, slot, change } = placing
  const stats = disk.lstat(slot.kept)
  if (stats === undefined || isApproved(placing, slot.kept, stats)) return true
  if (change.op === 'delete') putBack(disk, slot.kept, target)
  else if (isState(diskStateAt(disk, target), change.new)) exchange(placing)
  return false
}

function exchange({ disk, target, slot }: Placing): void {
  try {
    linkInPlace(disk, target, slot.fresh)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
  disk.rename(slot.kept, target)
}
