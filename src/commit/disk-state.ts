import type { BigIntStats } from 'node:fs'
import { EMPTY_DIGEST, type FileState, sameState } from '../../overlay/index.js'
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

/**
 * Within this time of a change, two writes can carry one timestamp: by the kernel's tick, or by a file system that keeps
 * whole seconds. What changed so recently is always read.
 */
const RACY_MS = 50
const COARSE_RACY_MS = 3_000

/** True when any write of the file later than `at` (`Date.now()`) must show in its time. */
export function isSettled({ mtimeNs, mtimeMs }: BigIntStats, at = Date.now()): boolean {
  const isCoarse = mtimeNs % 1_000_000_000n === 0n
  return at - Number(mtimeMs) > (isCoarse ? COARSE_RACY_MS : RACY_MS)
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
  return stats?.isFile() && isSettled(stats, at) ? stats : undefined
}

/** Changes whenever a file's content or place does, as far as stat can tell. */
export function fingerprint(stats: BigIntStats | undefined): string {
  if (stats === undefined) return ''
  return [stats.dev, stats.ino, stats.mode, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ')
}
