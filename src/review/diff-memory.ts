import type { FileDiff } from './diff.js'

/** A cache of comparisons between two views of a stage, which mostly show the same changes. */
export interface DiffMemory {
  /**
   * Returns a cached comparison, or makes and caches it.
   * @param key identifies both contents and how they are compared
   * @param size returns the bytes of both sides
   */
  of(key: string, size: () => number, make: () => FileDiff): FileDiff
  /** Returns a comparison that is in the cache. */
  find(key: string): FileDiff | undefined
  /** Starts a new view. Drops the comparisons that the last view did not use. */
  startView(): void
}

/** Limits in bytes of both sides of one file, and of all files: a comparison keeps their texts in memory. */
const ONE_LIMIT = 256 * 1024
const ALL_LIMIT = 32 * 1024 * 1024

interface Kept {
  readonly diff: FileDiff
  readonly size: number
}

export function createDiffMemory(): DiffMemory {
  let [before, now] = [new Map<string, Kept>(), new Map<string, Kept>()]
  let held = 0
  const keep = (key: string, kept: Kept) => {
    if (kept.size <= ONE_LIMIT && held + kept.size <= ALL_LIMIT) {
      now.set(key, kept)
      held += kept.size
    }
    return kept.diff
  }
  const find = (key: string) => {
    const recent = now.get(key)
    if (recent !== undefined) return recent.diff
    const kept = before.get(key)
    return kept && keep(key, kept)
  }
  return {
    find,
    of: (key, size, make) => find(key) ?? keep(key, { diff: make(), size: size() }),
    startView() {
      before = now
      now = new Map()
      held = 0
    },
  }
}
