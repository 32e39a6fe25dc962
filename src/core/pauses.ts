import { setImmediate as pause } from 'node:timers/promises'

/**
 * Returns a function to await in a long loop. It lets other work of the process run if the loop has not paused for some time.
 * @param afterMs milliseconds
 */
export function pauses(afterMs: number): () => Promise<void> {
  let pausedAt = performance.now()
  return async () => {
    if (performance.now() - pausedAt <= afterMs) return
    await pause()
    pausedAt = performance.now()
  }
}
