import type { LowerStatCache } from './lower-stat-cache.js'
import { parentOf, type RelPath, ROOT } from './path.js'

/**
 * Staged directories whose name the disk gives to something else: a file or a link that came there, or came back, and that
 * the stage does not remove. Nothing below such a directory can be committed until one of the two gives way.
 */
export class BlockedDirectories {
  readonly #known = new Map<RelPath, boolean>()

  /** @param removes whether the stage removes the very thing that is at a path on disk. */
  constructor(
    private readonly seen: LowerStatCache,
    private readonly removes: (path: RelPath) => boolean,
  ) {}

  /** Whether a directory cannot be at a path: something else is there, or where one of its parents is to be. */
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
