import { statfsSync } from 'node:fs'
import { runProgram } from './child.js'

/** A busy disk may have gigabytes of other programs' data to write before ours. */
const TIMEOUT_MS = 10_000

/** TMPFS_MAGIC and RAMFS_MAGIC of statfs(2). */
const IN_MEMORY: ReadonlySet<number> = new Set([0x01021994, 0x858458f6])

/**
 * Makes everything written so far to the file system of `path` durable (syncfs): one barrier in place of an fsync for
 * each file. False when it is not to be had, or failed.
 */
export function flushFileSystem(path: string): boolean {
  // Elsewhere `sync` ignores its arguments, or does not reach the drive.
  if (process.platform !== 'linux') return false
  // A file system in memory has nothing behind it to reach.
  if (IN_MEMORY.has(statfsSync(path).type)) return true
  // A directory that we hold open has an address that means another process in the program.
  const address = path.replace(/^\/proc\/self\//, `/proc/${process.pid}/`)
  return runProgram('sync', ['-f', address], TIMEOUT_MS).status === 0
}
