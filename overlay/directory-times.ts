import type { BigIntStats, Stats } from 'node:fs'
import type { RelPath } from './path.js'

const MS = 1_000_000n

/**
 * When a name was last made in, or taken out of, a directory that only the disk has: its times move, as they would there.
 * Nothing of it is kept beyond the stage's log: once that was compacted, a directory has the disk's times again.
 */
export class DirectoryTimes {
  readonly #changed = new Map<RelPath, bigint>()

  /** A name in a directory came or went. @param at nanoseconds since 1970 */
  set(dir: RelPath, at: bigint): void {
    this.#changed.set(dir, at)
  }

  /** A path was removed or renamed: what comes there is another directory. */
  forget(path: RelPath): void {
    this.#changed.delete(path)
  }

  /**
   * A directory's stats with the later of its times. How many directories are in it is not counted: it has one link, as on
   * file systems that never count them.
   */
  withTimes<T extends Stats | BigIntStats>(path: RelPath, stats: T | undefined): T | undefined {
    const at = stats?.isDirectory() ? this.#changed.get(path) : undefined
    if (stats === undefined || at === undefined) return stats
    if (isBig(stats)) {
      stats.nlink = 1n
      if (at <= stats.mtimeNs) return stats
      const date = new Date(Number(at / MS))
      return Object.assign(stats, {
        mtimeNs: at,
        ctimeNs: at,
        mtimeMs: at / MS,
        ctimeMs: at / MS,
        mtime: date,
        ctime: date,
      })
    }
    const ms = Number(at / MS) + Number(at % MS) / 1e6
    const nlink = 1
    if (ms <= stats.mtimeMs) return Object.assign(stats, { nlink })
    const date = new Date(Math.round(ms))
    return Object.assign(stats, { nlink, mtimeMs: ms, ctimeMs: ms, mtime: date, ctime: date })
  }
}

function isBig(stats: Stats | BigIntStats): stats is BigIntStats {
  return typeof stats.size === 'bigint'
}
