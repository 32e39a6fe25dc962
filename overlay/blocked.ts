import type { LowerStatCache } from './lower-stat-cache.js'
import { parentOf, type RelPath, ROOT } from './path.js'

/**
 * Staged directories whose name is taken on disk by something that the stage does not remove: a file or a link that
 * appeared later. Nothing below such a directory can be committed until one of the two is removed.
 */
export class BlockedDirectories {
  readonly #known = new Map<RelPath, boolean>()

  /** @param removes whether the stage removes exactly the entry that is at a path on disk */
  constructor(
    private readonly seen: LowerStatCache,
    private readonly removes: (path: RelPath) => boolean,
  ) {}

  /** Returns whether a directory cannot be at a path: another entry is there, or at one of its parents. */
  has(dir: RelPath): boolean {
    if (dir === ROOT) return false
    const known = this.#known.get(dir)
    if (known !== undefined) return known
    const type = this.seen.typeOf(dir)
    const isTaken = type !== undefined && type !== 'dir' && !this.removes(dir)
    const isBlocked = isTaken || this.has(parentOf(dir))
    this.#known.set(dir, isBlocked)
    return isBlocked
  }
}
