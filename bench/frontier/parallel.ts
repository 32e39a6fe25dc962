import { availableParallelism } from 'node:os'

/** Most of the time is spent waiting for scripts. */
const WORKERS = availableParallelism() + 1

/**
 * Processes all items, several at a time, each worker with a separate directory. Results are in the order of the items.
 */
export async function inParallel<T, R>(
  items: readonly T[],
  work: (item: T, directory: string) => Promise<R>,
  base: string,
): Promise<R[]> {
  const results = new Array<R>(items.length)
  const waiting = items.entries()
  const worker = async (_: unknown, at: number) => {
    for (const [index, item] of waiting) results[index] = await work(item, `${base}/w${at}`)
  }
  await Promise.all(Array.from({ length: WORKERS }, worker))
  return results
}
