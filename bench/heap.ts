import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export interface Memory {
  /** Bytes of heap and buffers that live. */
  readonly live: number
  /** Bytes of the process that are in memory. */
  readonly resident: number
}

/** What this process occupies after a collection; it is asked for by flag, as the bench is started without one. */
export function collected(): Memory {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  // Twice: buffers are let go by finalizers of the first.
  for (let turn = 0; turn < 2; turn += 1) if (typeof collect === 'function') collect()
  const { heapUsed, external, rss } = process.memoryUsage()
  return { live: heapUsed + external, resident: rss }
}
