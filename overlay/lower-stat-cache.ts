import type { BigIntStats } from 'node:fs'
import { ABSENT, stateNow } from './base.js'
import type { FileState } from './change.js'
import type { EntryType } from './layer.js'
import { type Lower, typeOfStats } from './lower.js'
import { parentOf, type RelPath, ROOT } from './path.js'
import type { Base } from './stage-edit.js'

/** The lower layer during one comparison: each name is stated once, each content read at most once. */
export class LowerStatCache {
  readonly #looks = new Map<RelPath, BigIntStats | undefined>()
  readonly #states = new Map<RelPath, FileState | null>()
  readonly #readAt = new Map<RelPath, number>()

  constructor(private readonly lower: Lower) {}

  look(path: RelPath): BigIntStats | undefined {
    const known = this.#looks.get(path)
    if (known !== undefined || this.#looks.has(path)) return known
    // The disk would follow a link in a parent to another name.
    const above = parentOf(path)
    const stats = above === ROOT || this.look(above)?.isDirectory() ? this.lower.lstatBig(path) : undefined
    this.#looks.set(path, stats)
    return stats
  }

  typeOf(path: RelPath): EntryType | undefined {
    const stats = this.look(path)
    return stats && typeOfStats(stats)
  }

  /** As {@link stateNow}. */
  state(path: RelPath, base?: Base): FileState | null {
    const known = this.#states.get(path)
    if (known !== undefined) return known
    const stats = this.look(path)
    const at = Date.now()
    const state = stats ? stateNow(this.lower, path, base ?? ABSENT, stats) : null
    // If the stamp equals the base's, the base is returned, and the content was not read.
    if (state !== base?.state) this.#readAt.set(path, at)
    this.#states.set(path, state)
    return state
  }

  /** When, after {@link look}, the content at a path was read: `Date.now()`. Undefined if it was not. */
  readAt(path: RelPath): number | undefined {
    return this.#readAt.get(path)
  }
}
