import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export interface Memory {
  /** Bytes of heap and buffers in use. */
  readonly live: number
  /** Bytes of resident memory. */
  readonly resident: number
}

/** The memory of this process after a garbage collection. Enables `gc` by a flag at run time. */
export function memoryAfterGc(): Memory {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  // Twice, because finalizers of the first run release buffers.
  for (let pass = 0; pass < 2; pass += 1) if (typeof collect === 'function') collect()
  const { heapUsed, external, rss } = process.memoryUsage()
  return { live: heapUsed + external, resident: rss }
}
