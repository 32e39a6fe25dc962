import { setImmediate as turn } from 'node:timers/promises'
import { sendSignal } from './child.js'
import { makeTempDir, removeTree } from './write.js'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs work with a new directory, and removes it at the end. A signal that ends this process removes it, too, at the next turn of the
 * event loop.
 * @param prefix the directory's path, without the characters that make it unique
 */
export async function withTempDir<T>(prefix: string, work: (dir: string) => Promise<T>): Promise<T> {
  const dir = makeTempDir(prefix)
  const end = (signal: NodeJS.Signals) => {
    removeTree(dir)
    stopListening()
    // A program with a listener of its own decides itself how it ends.
    if (process.listenerCount(signal) === 0) sendSignal(process.pid, signal)
  }
  const stopListening = () => {
    for (const signal of SIGNALS) process.off(signal, end)
  }
  for (const signal of SIGNALS) process.on(signal, end)
  try {
    return await work(dir)
  } finally {
    // A signal that came while nothing was awaited has not been delivered yet. The rest of this turn can be behind the place where it would be.
    await turn()
    await turn()
    stopListening()
    removeTree(dir)
  }
}
