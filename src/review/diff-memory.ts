import type { FileDiff } from './diff.js'

/** Comparisons that were made, for as long as they are asked for: a look at a large stage is mostly what the last one was. */
export interface DiffMemory {
  /**
   * @param key names both contents and how they are compared
   * @param size bytes of both sides
   */
  of(key: string, size: () => number, make: () => FileDiff): FileDiff
  /** The comparison of that name, where it was made and is kept. */
  find(key: string): FileDiff | undefined
  /** A new look begins: what is not asked for until the next one is forgotten. */
  turn(): void
}

/** Bytes of both sides of one file, and of all, up to which comparisons are kept: they hold on to the texts. */
const ONE_LIMIT = 256 * 1024
const ALL_LIMIT = 32 * 1024 * 1024

interface Kept {
  readonly diff: FileDiff
  readonly size: number
}

export function rememberDiffs(): DiffMemory {
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
    turn() {
      before = now
      now = new Map()
      held = 0
    },
  }
}
