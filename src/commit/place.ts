import type { BigIntStats } from 'node:fs'
import { codeOf } from '../../overlay/index.js'
import { type Disk, exists, isSameFile, linkInPlace, sameInode } from './disk.js'
import { diskStateAt, isState, isUntouched } from './disk-state.js'
import { workingMode } from './stage.js'
import type { TxPaths } from './tx-paths.js'
import type { CommitOp, PlannedChange } from './types.js'

/** One change of a published plan, and the addresses to apply it at. */
export interface Placing {
  readonly disk: Disk
  readonly change: PlannedChange
  readonly slot: TxPaths
  /** The address of its path in the tree. */
  readonly target: string
  /** On a move: the address of the old path. Undefined when it can no longer be reached. */
  readonly origin: string | undefined
  /** Whether this is the run that published the plan, so that nothing of it is done yet. */
  readonly isFirstRun: boolean
  /** The stat of the old file as checked, if any later write would change it. */
  readonly readStats: BigIntStats | undefined
  /** Called right before a step that would also succeed after another process has finished the plan. */
  assertUnfinished(): void
}

/**
 * How each kind of change is applied. Each can be interrupted anywhere and run again: while the staged file exists, the
 * change is not done yet; once it is gone, a different content was written by someone else afterwards.
 *
 * Each returns true when the change is in place, now or from an earlier run. It returns false when someone else's
 * version is in place, which is left alone.
 */
export const PLACE: Record<CommitOp, (placing: Placing) => boolean> = {
  create: linkOrFind,
  overwrite,
  delete: takeOut,
  mkdir: makeDirectory,
  rmdir: removeDirectory,
  chmod: changeMode,
  move: moveDirectory,
}

/** Largest number of attempts to replace a target that others change meanwhile. After that it is a conflict. */
const TRIES = 5

/** Whether the file at `path` is the one whose replacement was approved. */
export function isApproved({ disk, change, readStats }: Placing, path: string, stats = disk.lstat(path)): boolean {
  if (readStats !== undefined && isUntouched(stats, readStats)) return true
  return isState(diskStateAt(disk, path, stats), change.old)
}

/** Links the staged file. If the name is taken, it is ours from an earlier run, equal by chance, or a conflict. */
function linkOrFind({ disk, target, slot, change }: Placing): boolean {
  try {
    linkInPlace(disk, slot.fresh, target)
    return true
  } catch (error) {
    if (codeOf(error) === 'ENOENT' && !exists(disk, slot.fresh)) return true
    if (codeOf(error) !== 'EEXIST') throw error
    return (
      !exists(disk, slot.fresh) || sameInode(disk, slot.fresh, target) || isState(diskStateAt(disk, target), change.new)
    )
  }
}

/** Links a second name to the old file, checks that it is the approved one, and renames the new file over it. */
function overwrite(placing: Placing): boolean {
  const { disk, target, slot, isFirstRun } = placing
  if (!isFirstRun && exists(disk, slot.away)) return finishStrictly(placing)
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    if ((!isFirstRun || attempt > 0) && !exists(disk, slot.fresh)) return true
    const backup = keepOld(placing)
    if (backup === 'refused') return overwriteStrictly(placing)
    if (backup === 'ours') return true
    if (backup === 'theirs') return false
    // A save by rename since the link leaves the approved content only in our backup: check again. The target is
    // checked last, right before our rename, which keeps the window as small as possible.
    if (backup === 'moved' || (backup !== 'seen' && !isSameFile(backup, disk.lstat(target)))) continue
    if (renameIfThere(disk, slot.fresh, target)) return true
  }
  return false
}

/** The approved file under its second name (`seen`: at its path, a moment ago), or the file that was found instead. */
type Backup = BigIntStats | 'seen' | 'ours' | 'theirs' | 'moved' | 'refused'

function keepOld(placing: Placing): Backup {
  const { disk, target, slot, change, readStats } = placing
  try {
    keepByLink(placing)
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT') return 'theirs'
    // Linux refuses a second name for another user's file, but allows a rename.
    if (code === 'EPERM' || code === 'EMLINK' || code === 'ENOTSUP') return 'refused'
    if (code !== 'EEXIST') throw error
    return existingBackup(placing)
  }
  // The file at its path is the checked one and the second name is the same file, so one check is enough for both.
  if (readStats !== undefined && isUntouched(disk.lstat(target), readStats)) return 'seen'
  const keptStats = disk.lstat(slot.kept)
  if (keptStats !== undefined && isApproved(placing, slot.kept, keptStats)) return keptStats
  const found = diskStateAt(disk, slot.kept)
  disk.unlink(slot.kept)
  return isState(found, change.new) ? 'ours' : 'theirs'
}

function keepByLink({ disk, target, slot, change }: Placing): void {
  if (change.old?.type === 'symlink') linkInPlace(disk, target, slot.kept)
  else disk.link(target, slot.kept)
}

/** Uses an existing backup: of an interrupted run, or of another process that applies the same plan. */
function existingBackup({ disk, target, slot, change }: Placing): Backup {
  if (!exists(disk, slot.fresh)) return 'ours'
  const stats = disk.lstat(target)
  const found = diskStateAt(disk, target, stats)
  if (isState(found, change.new)) return 'ours'
  if (!isState(found, change.old)) return 'theirs'
  if (stats !== undefined && isSameFile(stats, disk.lstat(slot.kept))) return stats
  disk.unlink(slot.kept)
  return 'moved'
}

/** Returns false when either end is now something that cannot be renamed or replaced. */
function renameIfThere(disk: Disk, from: string, to: string): boolean {
  try {
    disk.rename(from, to)
    return true
  } catch (error) {
    const code = codeOf(error)
    if (code === 'EISDIR' || code === 'ENOTDIR' || code === 'ENOTEMPTY' || code === 'EEXIST') return false
    if (code !== 'ENOENT') throw error
    return !exists(disk, from)
  }
}

/** Moves the old file away, checks that it is the approved one, and links the new one at the free name. */
export function overwriteStrictly(placing: Placing): boolean {
  const { disk, target, slot, change } = placing
  if (!exists(disk, slot.fresh)) return true
  if (!exists(disk, slot.away)) {
    const found = diskStateAt(disk, target)
    if (isState(found, change.new) || sameInode(disk, slot.fresh, target)) return true
    // A power cut may have kept the first rename and lost the link after it.
    if (found === null && isState(diskStateAt(disk, slot.kept), change.old)) return linkOrFind(placing)
    if (!isState(found, change.old)) return false
    if (exists(disk, slot.kept)) {
      if (!sameInode(disk, slot.kept, target)) return false
      disk.unlink(slot.kept)
    }
    placing.assertUnfinished()
    if (!renameIfThere(disk, target, slot.away)) return false
  }
  return finishStrictly(placing)
}

function finishStrictly(placing: Placing): boolean {
  const { disk, target, slot, change } = placing
  if (!exists(disk, slot.away)) return false
  if (!isState(diskStateAt(disk, slot.away), change.old)) {
    putBack(disk, slot.away, target)
    return false
  }
  const isPlaced = linkOrFind(placing)
  disk.rename(slot.away, slot.kept)
  return isPlaced
}

/** Restores a file we moved away, unless the name is taken by now. Then the file stays with us. */
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

function takeOut(placing: Placing): boolean {
  const { disk, target, slot, isFirstRun } = placing
  if (!isFirstRun && exists(disk, slot.kept)) return true
  const stats = disk.lstat(target)
  if (stats === undefined) return true
  if (!isApproved(placing, target, stats)) return false
  placing.assertUnfinished()
  renameIfThere(disk, target, slot.kept)
  return true
}

function makeDirectory({ disk, target, slot, change, isFirstRun }: Placing): boolean {
  if (!isFirstRun && !exists(disk, slot.fresh)) return true
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

/** Finds the directory by its inode, wherever it is now: files that others saved into it meanwhile move with it. */
function moveDirectory({ disk, target, origin, change, assertUnfinished }: Placing): boolean {
  const isIt = (stats: BigIntStats | undefined) => stats?.isDirectory() === true && String(stats.ino) === change.inode
  const there = disk.lstat(target)
  if (there !== undefined) return isIt(there)
  assertUnfinished()
  return (
    origin !== undefined && isIt(disk.lstat(origin)) && renameIfThere(disk, origin, target) && isIt(disk.lstat(target))
  )
}

/** A directory that is no longer empty stays: no error, and nothing is lost. */
function removeDirectory({ disk, target, assertUnfinished }: Placing): boolean {
  assertUnfinished()
  if (disk.lstat(target)?.isDirectory()) disk.rmdir(target)
  return true
}

function changeMode({ disk, target, change, assertUnfinished }: Placing): boolean {
  const found = diskStateAt(disk, target)
  if (isState(found, change.new)) return true
  if (!isState(found, change.old) || change.new === null) return false
  assertUnfinished()
  try {
    disk.setMode(target, change.new.mode)
    return true
  } catch (error) {
    if (codeOf(error) === 'ELOOP' || codeOf(error) === 'ENOENT') return false
    throw error
  }
}

/** Sets the final mode of a directory that had to stay writable until its children were in place. */
export function settleMode(disk: Disk, target: string, change: PlannedChange): void {
  if (change.op !== 'mkdir' || change.new === null) return
  const working = workingMode(change.new.mode)
  if (working === change.new.mode) return
  const stats = disk.lstat(target)
  if (!stats?.isDirectory() || Number(stats.mode & 0o7777n) !== working) return
  disk.setMode(target, change.new.mode)
}
