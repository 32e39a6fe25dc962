/** Milliseconds of processor time of this process. Unlike the clock, it does not count other programs on a busy machine. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/**
 * Starts a time limit.
 * @param limitMs milliseconds of processor time
 * @returns whether the limit is exceeded. It reads the clock first, which is cheap enough for a loop.
 */
export function startTimeLimit(limitMs: number): () => boolean {
  const [clock, processor] = [performance.now(), processorMs()]
  return () => performance.now() - clock > limitMs && processorMs() - processor > limitMs
}
