import type { BigIntStats } from 'node:fs'
import { EMPTY_DIGEST, type FileState, isSettled, sameState } from '../../overlay/index.js'
import { type Disk, linkDigest } from './disk.js'

/** The state of a path; `other` is a FIFO, socket or device, which equals no state of a plan. */
export type DiskState = FileState | 'other' | null

/** Reads the state of a path. Does not follow a link. Throws EACCES, EIO, … */
export function diskStateAt(disk: Disk, path: string, stats: BigIntStats | undefined = disk.lstat(path)): DiskState {
  if (stats === undefined) return null
  const mode = Number(stats.mode & 0o7777n)
  if (stats.isFile()) return { type: 'file', digest: disk.digestFile(path), mode }
  if (stats.isDirectory()) return { type: 'dir', digest: EMPTY_DIGEST, mode }
  if (stats.isSymbolicLink()) return { type: 'symlink', digest: linkDigest(disk, path), mode: 0o777 }
  return 'other'
}

export function isState(standing: DiskState, state: FileState | null): boolean {
  return standing !== 'other' && sameState(standing, state)
}

/** Whether any write after `readAtMs` is sure to change the mtime. A file that changed more recently must be read. */
export function hasSettledMtime({ mtimeNs }: BigIntStats, readAtMs = Date.now()): boolean {
  return isSettled(Number(mtimeNs) / 1e6, readAtMs)
}

/** Whether the file is the same as in `readStats` and was not written to since. A changed number of names does not count. */
export function isUntouched(stats: BigIntStats | undefined, readStats: BigIntStats): boolean {
  return (
    stats !== undefined &&
    stats.ino === readStats.ino &&
    stats.dev === readStats.dev &&
    stats.mode === readStats.mode &&
    stats.size === readStats.size &&
    stats.mtimeNs === readStats.mtimeNs
  )
}

/** The stat of a regular file before it was read `at`, if any later write is sure to change it; else undefined. */
export function settledStats(stats: BigIntStats | undefined, at = Date.now()): BigIntStats | undefined {
  return stats?.isFile() && hasSettledMtime(stats, at) ? stats : undefined
}
