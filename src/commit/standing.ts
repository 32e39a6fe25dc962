import type { BigIntStats } from 'node:fs'
import { type FileState, sameState } from '../../overlay/change.js'
import { EMPTY_DIGEST } from '../../overlay/digest.js'
import { type Disk, linkDigest } from './disk.js'

/** What stands at a path now; `other` is a FIFO, socket or device, which equals nothing a plan can name. */
export type Standing = FileState | 'other' | null

/** Reads what stands at a path, never through a link. Throws EACCES, EIO, … */
export function standingAt(disk: Disk, path: string, stats: BigIntStats | undefined = disk.lstat(path)): Standing {
  if (stats === undefined) return null
  const mode = Number(stats.mode & 0o7777n)
  if (stats.isFile()) return { type: 'file', digest: disk.digestFile(path), mode }
  if (stats.isDirectory()) return { type: 'dir', digest: EMPTY_DIGEST, mode }
  if (stats.isSymbolicLink()) return { type: 'symlink', digest: linkDigest(disk, path), mode: 0o777 }
  return 'other'
}

export function isState(standing: Standing, state: FileState | null): boolean {
  return standing !== 'other' && sameState(standing, state)
}

/** Changes whenever a file's content or place does, as far as stat can tell. */
export function fingerprint(stats: BigIntStats | undefined): string {
  if (stats === undefined) return ''
  return [stats.dev, stats.ino, stats.mode, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ')
}
