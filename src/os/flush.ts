import { statfsSync } from 'node:fs'
import { runProgram } from './child.js'

/** A busy disk may first have to write gigabytes of other programs' data. */
const TIMEOUT_MS = 10_000

/** TMPFS_MAGIC and RAMFS_MAGIC of statfs(2). */
const IN_MEMORY: ReadonlySet<number> = new Set([0x01021994, 0x858458f6])

/**
 * Makes everything that was written to the file system of `path` durable (syncfs): one barrier instead of an fsync for
 * each file. Returns false when that is unavailable or failed.
 */
export function flushFileSystem(path: string): boolean {
  // On other systems `sync` ignores its arguments, or does not reach the drive.
  if (process.platform !== 'linux') return false
  // A file system in memory has no medium to flush.
  if (isInMemory(path)) return true
  // `/proc/self` would mean the started program: the directory is ours.
  const address = path.replace(/^\/proc\/self\//, `/proc/${process.pid}/`)
  return runProgram('sync', ['-f', address], TIMEOUT_MS).status === 0
}

/** Whether a path is on a file system in memory. Known only on Linux. */
export function isInMemory(path: string): boolean {
  return process.platform === 'linux' && IN_MEMORY.has(statfsSync(path).type)
}
