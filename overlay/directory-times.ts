import type { BigIntStats, Stats } from 'node:fs'
import type { RelPath } from './path.js'

const MS = 1_000_000n

/**
 * Times of directories that exist only on disk, after a name was staged or removed in them, as they would be there.
 * They last as long as the stage's log: once it is compacted, a directory has the disk's times again.
 */
export class DirectoryTimes {
  readonly #changed = new Map<RelPath, bigint>()

  /** A name in a directory was added or removed. @param at nanoseconds since 1970 */
  set(dir: RelPath, at: bigint): void {
    this.#changed.set(dir, at)
  }

  /** A path was removed or renamed, so that a later entry there is another directory. */
  forget(path: RelPath): void {
    this.#changed.delete(path)
  }

  /**
   * Returns a directory's stats with the later of both times. Its number of links is one, as on file systems that do not count
   * subdirectories.
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
