import type { Io } from './context.js'

/** A line that says how far something is, gone when it is done. */
export interface Progress {
  tell(words: string): void
  clear(): void
}

/** Before that nobody wonders. */
const PATIENCE_MS = 1_000
const EVERY_MS = 100
const WIPE = '\r\x1b[K'

/** Shows a line on stderr, to a person at a terminal alone, once the work has taken a second. */
export function progressOf(io: Io, now: () => number = () => performance.now()): Progress {
  const { columns } = io
  const began = now()
  let last = Number.NEGATIVE_INFINITY
  return {
    tell(words) {
      const at = now()
      if (columns === undefined || !io.terminal || at - began < PATIENCE_MS || at - last < EVERY_MS) return
      last = at
      io.err(`\r${words.slice(0, columns - 1)}\x1b[K`)
    },
    clear() {
      if (last > 0) io.err(WIPE)
    },
  }
}

/** Says what is being done, with a mark that moves, until it is. */
export async function withProgress<T>(io: Io, words: string, work: () => Promise<T>): Promise<T> {
  const progress = progressOf(io)
  let turn = 0
  const ticking = setInterval(() => progress.tell(`${words}${'.'.repeat((turn++ % 3) + 1)}`), 3 * EVERY_MS)
  try {
    return await work()
  } finally {
    clearInterval(ticking)
    progress.clear()
  }
}
