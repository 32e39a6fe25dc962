import { readdirSync, readFileSync, statfsSync, statSync } from 'node:fs'
import { totalmem } from 'node:os'

/** The resources a command's processes use now. */
export interface Load {
  readonly processes: number
  /** Unshared resident memory in bytes. */
  readonly memory: number
}

/** AT_PAGESZ, an entry of the auxiliary vector (getauxval(3)). */
const PAGE_SIZE = 6n

/** Bytes of a page, the unit of statm: 4 KiB on x86-64, up to 64 KiB on arm64. */
function pageSize(): number {
  knownPageSize ??= readPageSize()
  return knownPageSize
}

let knownPageSize: number | undefined

/** The vector is pairs of words: a type and its value. */
function readPageSize(): number {
  const vector = readFileSync('/proc/self/auxv')
  for (let at = 0; at + 16 <= vector.length; at += 16)
    if (vector.readBigUInt64LE(at) === PAGE_SIZE) return Number(vector.readBigUInt64LE(at + 8))
  throw new Error('/proc/self/auxv does not say the size of a page.')
}

/** The load by the command's own /proc; zero before that is mounted, and once its first process is gone. */
export function loadOf(init: number): Load {
  const proc = `/proc/${init}/root/proc`
  let [processes, memory] = [0, 0]
  // Until bubblewrap has changed the root, this is the host's /proc: its processes are not the command's.
  if (isHostProc(proc)) return { processes, memory }
  for (const name of namesIn(proc)) {
    if (!/^\d+$/.test(name)) continue
    processes++
    memory += memoryOf(`${proc}/${name}/statm`)
  }
  return { processes, memory }
}

/** A procfs has a device number of its own in each PID namespace. */
function isHostProc(proc: string): boolean {
  try {
    return statSync(proc).dev === statSync('/proc').dev
  } catch {
    return false
  }
}

/** Bytes used on a tmpfs; zero once it is gone. */
export function bytesIn(place: string): number {
  try {
    const { blocks, bfree, bsize } = statfsSync(place)
    return (blocks - bfree) * bsize
  } catch {
    return 0
  }
}

/** Three quarters of the memory available to this process; the rest is left to the person. */
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

/** statm (proc(5)): total, resident and shared pages. */
function memoryOf(statm: string): number {
  const page = pageSize()
  try {
    const [, resident = 0, shared = 0] = readFileSync(statm, 'utf8').split(' ').map(Number)
    return Math.max(0, resident - shared) * page
  } catch {
    // The process has ended.
    return 0
  }
}
