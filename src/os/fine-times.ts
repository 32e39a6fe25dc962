import { statSync } from 'node:fs'
import { makeTempDir, removeTree } from './write.js'

const SECOND_NS = 1_000_000_000n
/** The kernel's clock ticks every 10 ms or more often. So of two times that are further apart, at most one is a whole second by chance. */
const TICK_MS = 12

/**
 * Whether the file system of a directory keeps times to fractions of seconds. ext2, ext3 and small ext4 file systems keep whole seconds.
 * @param timeOf the time of a directory's last change in nanoseconds
 */
export function keepsFineTimes(dir: string, timeOf = changeTime): boolean {
  const isFine = (path: string) => timeOf(path) % SECOND_NS !== 0n
  if (isFine(dir)) return true
  const isFineNow = () => {
    const made = makeTempDir(`${dir}/escrow-time-`)
    try {
      return isFine(made)
    } finally {
      removeTree(made)
    }
  }
  try {
    if (isFineNow()) return true
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TICK_MS)
    return isFineNow()
  } catch {
    // It cannot be written. Whoever makes a directory there gets an error that says so.
    return true
  }
}

function changeTime(dir: string): bigint {
  return statSync(dir, { bigint: true }).ctimeNs
}
