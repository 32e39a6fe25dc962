import { baseOfContent } from './base.js'
import { digestInParts, PART } from './digest.js'
import { fileStamp } from './file-stamp.js'
import type { Lower } from './lower.js'
import type { RelPath } from './path.js'
import type { Base } from './stage-edit.js'

/** What the disk held at a path when a put of much content was readied: a large file is digested before, not within, the put. */
export class PreparedBase {
  #last: { readonly path: RelPath; readonly base: Base } | undefined

  constructor(private readonly lower: Lower) {}

  /** Digests what is at a path, a part in each turn of the event loop. A small file is left to the put. */
  async ready(path: RelPath): Promise<void> {
    const stats = this.lower.lstatBig(path)
    if (!stats?.isFile() || stats.size <= PART) return
    const content = await this.lower.readLater(path)
    this.#last = { path, base: baseOfContent('', stats, await digestInParts(content)) }
  }

  /** The base that was readied, if the disk still has that very file. */
  at(path: RelPath): Base | undefined {
    if (this.#last?.path !== path) return undefined
    const { base } = this.#last
    const stats = this.lower.lstatBig(path)
    return stats?.isFile() && fileStamp(stats) === base.stamp ? base : undefined
  }
}
