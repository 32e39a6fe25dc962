import { readdirSync, readFileSync, statfsSync } from 'node:fs'
import { totalmem } from 'node:os'

/** What a command's processes have of the machine at a time. */
export interface Load {
  readonly processes: number
  /** Bytes that are theirs alone. */
  readonly memory: number
}

/** Of the x86-64 pages that /proc counts in. */
const PAGE = 4096

/** As the command's own /proc tells it; nothing once its first process is gone. */
export function loadOf(init: number): Load {
  const proc = `/proc/${init}/root/proc`
  let [processes, memory] = [0, 0]
  for (const name of namesIn(proc)) {
    if (!/^\d+$/.test(name)) continue
    processes++
    memory += memoryOf(`${proc}/${name}/statm`)
  }
  return { processes, memory }
}

/** Bytes that a file system in memory has taken; none once it is gone. */
export function bytesIn(place: string): number {
  try {
    const { blocks, bfree, bsize } = statfsSync(place)
    return (blocks - bfree) * bsize
  } catch {
    return 0
  }
}

/** Three quarters of what this process can have: the rest is the person's. */
export function memoryLimit(): number {
  const constrained = process.constrainedMemory()
  const all = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
  return Math.floor(all * 0.75)
}

function namesIn(proc: string): string[] {
  try {
    return readdirSync(proc)
  } catch {
    return []
  }
}

/** proc(5): pages in all, resident, and those of the resident that are shared. */
function memoryOf(statm: string): number {
  try {
    const [, resident = 0, shared = 0] = readFileSync(statm, 'utf8').split(' ').map(Number)
    return Math.max(0, resident - shared) * PAGE
  } catch {
    // It has ended meanwhile.
    return 0
  }
}
