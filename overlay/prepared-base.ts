import { baseOfContent } from './base.js'
import { digestInParts, PART } from './digest.js'
import { fileStamp } from './file-stamp.js'
import type { Lower } from './lower.js'
import type { RelPath } from './path.js'
import type { Base } from './stage-edit.js'

/** The disk's state at a path before a put of much content: a large file is digested before the put, not during it. */
export class PreparedBase {
  #last: { readonly path: RelPath; readonly base: Base } | undefined

  constructor(private readonly lower: Lower) {}

  /** Digests a path's file, one part per turn of the event loop. A small file is left to the put. */
  async ready(path: RelPath): Promise<void> {
    const stats = this.lower.lstatBig(path)
    if (!stats?.isFile() || stats.size <= PART) return
    const content = await this.lower.readLater(path)
    this.#last = { path, base: baseOfContent('', stats, await digestInParts(content)) }
  }

  /** Returns the prepared base, if the disk still has the same file. */
  at(path: RelPath): Base | undefined {
    if (this.#last?.path !== path) return undefined
    const { base } = this.#last
    const stats = this.lower.lstatBig(path)
    return stats?.isFile() && fileStamp(stats) === base.stamp ? base : undefined
  }
}
