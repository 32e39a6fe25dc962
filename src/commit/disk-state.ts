import type { BigIntStats } from 'node:fs'
import { EMPTY_DIGEST, type FileState, isSettled, sameState } from '../../overlay/index.js'
import { type Disk, linkDigest } from './disk.js'

/** What stands at a path now; `other` is a FIFO, socket or device, which equals nothing a plan can name. */
export type DiskState = FileState | 'other' | null

/** Reads what stands at a path, never through a link. Throws EACCES, EIO, … */
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

/** True when any write later than `readAtMs` must show in the mtime; a file that changed more recently is always read. */
export function hasSettledMtime({ mtimeNs }: BigIntStats, readAtMs = Date.now()): boolean {
  return isSettled(Number(mtimeNs) / 1e6, readAtMs)
}

/** True for the very file that was looked at, with nothing written to it since; more names, or fewer, do not count. */
export function isUntouched(stats: BigIntStats | undefined, look: BigIntStats): boolean {
  return (
    stats !== undefined &&
    stats.ino === look.ino &&
    stats.dev === look.dev &&
    stats.mode === look.mode &&
    stats.size === look.size &&
    stats.mtimeNs === look.mtimeNs
  )
}

/** How a regular file looked before it was read `at`, if any write since must show; undefined otherwise. */
export function settledLook(stats: BigIntStats | undefined, at = Date.now()): BigIntStats | undefined {
  return stats?.isFile() && hasSettledMtime(stats, at) ? stats : undefined
}
