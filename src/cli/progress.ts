import type { Io } from './context.js'

/** A progress line, cleared when the work is done. */
export interface Progress {
  show(message: string): void
  clear(): void
}

/** Work that ends sooner shows no progress. */
const DELAY_MS = 1_000
const INTERVAL_MS = 100
const CLEAR_LINE = '\r\x1b[K'

/** Shows progress on stderr once the work has taken a second. Does nothing without a terminal. */
export function createProgress(io: Io, now: () => number = () => performance.now()): Progress {
  const { columns } = io
  const startedAt = now()
  let last = Number.NEGATIVE_INFINITY
  return {
    show(message) {
      const at = now()
      if (columns === undefined || !io.terminal || at - startedAt < DELAY_MS || at - last < INTERVAL_MS) return
      last = at
      io.err(`\r${message.slice(0, columns - 1)}\x1b[K`)
    },
    clear() {
      if (last > 0) io.err(CLEAR_LINE)
    },
  }
}

/** Shows a label with moving dots while `work` runs. */
export async function withProgress<T>(io: Io, message: string, work: () => Promise<T>): Promise<T> {
  const progress = createProgress(io)
  let frame = 0
  const timer = setInterval(() => progress.show(`${message}${'.'.repeat((frame++ % 3) + 1)}`), 3 * INTERVAL_MS)
  try {
    return await work()
  } finally {
    clearInterval(timer)
    progress.clear()
  }
}
