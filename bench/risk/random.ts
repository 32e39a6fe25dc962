/** Random choices that depend on a seed alone. */
export interface Random {
  /** From 0 up to, but not including, `below`. */
  int(below: number): number
  pick<T>(from: readonly T[]): T
  chance(share: number): boolean
}

/** Mulberry32. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const int = (below: number) => Math.floor(next() * below)
  return {
    int,
    chance: (share) => next() < share,
    pick: (from) => {
      const found = from[int(from.length)]
      if (found === undefined) throw new Error('Nothing to choose from.')
      return found
    },
  }
}
