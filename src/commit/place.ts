import { codeOf } from '../../overlay/errno.js'
import { type Disk, exists, linkInPlace, sameInode } from './disk.js'
import { type Slot, workingMode } from './stage.js'
import { isState, standingAt } from './standing.js'
import type { CommitOp, PlannedChange } from './types.js'

/**
 * How one change is put in place. Each can be cut off anywhere and run again: what tells "not yet" from "done, and
 * edited since by someone else" is whether the staged file is still there.
 *
 * Each returns true when the change is in place, now or from an earlier run, and false when someone else's version
 * stands there: that one is left alone.
 */
type Place = (disk: Disk, target: string, slot: Slot, change: PlannedChange) => boolean

export const PLACE: Record<CommitOp, Place> = {
  create,
  overwrite,
  delete: takeOut,
  mkdir: makeDirectory,
  rmdir: removeDirectory,
  chmod: changeMode,
}

/** Times a target may be replaced by others under our hands before we call it a conflict. */
const TRIES = 5

function create(disk: Disk, target: string, slot: Slot, change: PlannedChange): boolean {
  if (!exists(disk, slot.fresh)) return true
  return linkOrFind(disk, slot.fresh, target, change)
}

/** Links the staged file in place; a taken name is ours from an earlier run, the same by chance, or a conflict. */
function linkOrFind(disk: Disk, fresh: string, target: string, change: PlannedChange): boolean {
  try {
    linkInPlace(disk, fresh, target)
    return true
  } catch (error) {
    if (codeOf(error) === 'ENOENT' && !exists(disk, fresh)) return true
    if (codeOf(error) !== 'EEXIST') throw error
    return sameInode(disk, fresh, target) || isState(standingAt(disk, target), change.new)
  }
}

/** Keeps a second name for the old file, proves that it is the one approved, and renames the new one over it. */
function overwrite(disk: Disk, target: string, slot: Slot, change: PlannedChange): boolean {
  if (exists(disk, slot.away)) return finishStrictly(disk, target, slot, change)
  for (let turn = 0; turn < TRIES; turn += 1) {
    if (!exists(disk, slot.fresh)) return true
    const backup = keepOld(disk, target, slot, change)
    if (backup === 'refused') return overwriteStrictly(disk, target, slot, change)
    if (backup === 'ours') return true
    if (backup === 'theirs') return false
    // A save by rename since the link left the approved content in our backup only: look again. The target is looked
    // at last, right before our rename, which is the whole of the window.
    if (backup === 'moved' || !sameInode(disk, slot.kept, target)) continue
    if (renameIfThere(disk, slot.fresh, target)) return true
  }
  return false
}

type Backup = 'approved' | 'ours' | 'theirs' | 'moved' | 'refused'

function keepOld(disk: Disk, target: string, slot: Slot, change: PlannedChange): Backup {
  try {
    keepByLink(disk, target, slot.kept, change)
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT') return 'theirs'
    // Linux refuses a second name for another user's file; renaming it is allowed.
    if (code === 'EPERM' || code === 'EMLINK' || code === 'ENOTSUP') return 'refused'
    if (code !== 'EEXIST') throw error
    return keptEarlier(disk, target, slot, change)
  }
  const kept = standingAt(disk, slot.kept)
  if (isState(kept, change.old)) return 'approved'
  disk.unlink(slot.kept)
  return isState(kept, change.new) ? 'ours' : 'theirs'
}

function keepByLink(disk: Disk, target: string, kept: string, change: PlannedChange): void {
  if (change.old?.type === 'symlink') linkInPlace(disk, target, kept)
  else disk.link(target, kept)
}

/** A backup is there already: an earlier run was cut off after making it, or another process applies the same plan. */
function keptEarlier(disk: Disk, target: string, slot: Slot, change: PlannedChange): Backup {
  const seen = standingAt(disk, target)
  if (isState(seen, change.new)) return 'ours'
  if (!isState(seen, change.old)) return 'theirs'
  if (sameInode(disk, target, slot.kept)) return 'approved'
  disk.unlink(slot.kept)
  return 'moved'
}

/** False when something that cannot be renamed, or be renamed over, has come to stand at either end. */
function renameIfThere(disk: Disk, from: string, to: string): boolean {
  try {
    disk.rename(from, to)
    return true
  } catch (error) {
    const code = codeOf(error)
    if (code === 'EISDIR' || code === 'ENOTEMPTY' || code === 'EEXIST') return false
    if (code !== 'ENOENT') throw error
    return !exists(disk, from)
  }
}

/** Takes the old file away, proves that it is the one approved, and links the new one where nothing stands. */
export function overwriteStrictly(disk: Disk, target: string, slot: Slot, change: PlannedChange): boolean {
  if (!exists(disk, slot.fresh)) return true
  if (!exists(disk, slot.away)) {
    const seen = standingAt(disk, target)
    if (isState(seen, change.new) || sameInode(disk, slot.fresh, target)) return true
    if (!isState(seen, change.old) || exists(disk, slot.kept)) return false
    if (!renameIfThere(disk, target, slot.away)) return false
  }
  return finishStrictly(disk, target, slot, change)
}

function finishStrictly(disk: Disk, target: string, slot: Slot, change: PlannedChange): boolean {
  if (!exists(disk, slot.away)) return false
  if (!isState(standingAt(disk, slot.away), change.old)) {
    putBack(disk, slot.away, target)
    return false
  }
  const isPlaced = linkOrFind(disk, slot.fresh, target, change)
  disk.rename(slot.away, slot.kept)
  return isPlaced
}

/** Gives what we took away its name back, unless the name is someone else's by now; then it stays with us. */
export function putBack(disk: Disk, taken: string, target: string): void {
  if (disk.lstat(taken)?.isDirectory()) {
    if (!exists(disk, target)) disk.rename(taken, target)
    return
  }
  try {
    linkInPlace(disk, taken, target)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    if (!sameInode(disk, taken, target)) return
  }
  disk.unlink(taken)
}

function takeOut(disk: Disk, target: string, slot: Slot, change: PlannedChange): boolean {
  if (exists(disk, slot.kept)) return true
  const seen = standingAt(disk, target)
  if (seen === null) return true
  if (!isState(seen, change.old)) return false
  renameIfThere(disk, target, slot.kept)
  return true
}

function makeDirectory(disk: Disk, target: string, slot: Slot, change: PlannedChange): boolean {
  if (!exists(disk, slot.fresh)) return true
  const stats = disk.lstat(target)
  if (stats?.isDirectory()) return change.implied === true || Number(stats.mode & 0o7777n) === change.new?.mode
  if (stats !== undefined) return false
  try {
    disk.rename(slot.fresh, target)
    return true
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return !exists(disk, slot.fresh)
    if (codeOf(error) === 'ENOTDIR' || codeOf(error) === 'ENOTEMPTY' || codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/** A directory somebody has put something into meanwhile stays: no error, and nothing of theirs is lost. */
function removeDirectory(disk: Disk, target: string): boolean {
  if (disk.lstat(target)?.isDirectory()) disk.rmdir(target)
  return true
}

function changeMode(disk: Disk, target: string, _slot: Slot, change: PlannedChange): boolean {
  const seen = standingAt(disk, target)
  if (isState(seen, change.new)) return true
  if (!isState(seen, change.old) || change.new === null) return false
  try {
    disk.setMode(target, change.new.mode)
    return true
  } catch (error) {
    if (codeOf(error) === 'ELOOP' || codeOf(error) === 'ENOENT') return false
    throw error
  }
}

/** The last mode of a directory that had to stay open to its owner until its children were in. */
export function settleMode(disk: Disk, target: string, change: PlannedChange): void {
  if (change.op !== 'mkdir' || change.new === null) return
  const working = workingMode(change.new.mode)
  const stats = disk.lstat(target)
  if (working === change.new.mode || !stats?.isDirectory() || Number(stats.mode & 0o7777n) !== working) return
  disk.setMode(target, change.new.mode)
}
