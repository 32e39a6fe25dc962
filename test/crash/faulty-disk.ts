import { type Disk, realDisk } from '../../src/commit/disk.js'

/** A simulated crash of the process. It has no errno code, so no code treats it as a failure of the disk. */
export class CrashError extends Error {
  override readonly name = 'CrashError'
}

export interface Call {
  /** Counted from 1. */
  readonly n: number
  readonly name: string
  readonly args: readonly unknown[]
}

const READS = new Set([
  'openDir',
  'closeDir',
  'digestFile',
  'readFile',
  'lstat',
  'readlink',
  'readdir',
  'assertWritable',
])
const SYNCS = new Set(['syncDir', 'syncFile', 'flush'])

export interface FaultyDisk {
  readonly disk: Disk
  /** The number of calls so far. */
  count(): number
  /** Counts a step that is not a call of the disk (a ledger append). */
  step(name: string): void
}

/** The real disk without syncs, which reports each call before it executes it. */
export function reportingDisk(before: (call: Call) => void, only: 'mutators' | 'all'): FaultyDisk {
  let n = 0
  const report = (name: string, args: readonly unknown[]) => {
    if (only === 'mutators' && READS.has(name)) return
    n += 1
    before({ n, name, args })
  }
  const disk: Disk = {
    ...realDisk,
    createFile: (path, data, mode, _sync, owner) => realDisk.createFile(path, data, mode, false, owner),
  }
  for (const [name, call] of Object.entries(disk)) {
    if (typeof call !== 'function') continue
    const wrapper = (...args: unknown[]): unknown => {
      // Not reported: the kernel closes the descriptors of a dead process.
      if (name !== 'closeDir') report(name, args)
      if (SYNCS.has(name)) return true
      return Reflect.apply(call, disk, args)
    }
    Object.defineProperty(disk, name, { value: wrapper, enumerable: true })
  }
  return { disk, count: () => n, step: (name) => report(name, []) }
}

/** Throws at mutating call `at` and at every later one. With `torn`, that call leaves a half-written file. */
export function crashingDisk(at: number, torn = false): FaultyDisk {
  return reportingDisk(({ n, name, args }) => {
    if (n < at) return
    const [path, data, mode] = args
    const isWriting = n === at && torn && name === 'createFile' && typeof path === 'string' && typeof mode === 'number'
    if (isWriting) realDisk.createFile(path, Buffer.from(String(data)).subarray(0, 3), mode, false)
    throw new CrashError(`at ${n}: ${name}`)
  }, 'mutators')
}

/** Fails call number `at` with `code`; with `lasting` also every later change. */
export function failingDisk(at: number, code: string, lasting = false): FaultyDisk {
  return reportingDisk(({ n, name }) => {
    if (n === at || (lasting && n > at && !READS.has(name)))
      throw Object.assign(new Error(`${code} injected`), { code })
  }, 'all')
}

/** Fails as a full disk after half of the bytes of the new file number `at`. All other calls work. */
export function shortDisk(at: number): FaultyDisk {
  let files = 0
  const counting = reportingDisk(() => undefined, 'all')
  const createFile: Disk['createFile'] = (path, data, mode, sync) => {
    files += 1
    if (files !== at) return counting.disk.createFile(path, data, mode, sync)
    realDisk.createFile(path, Buffer.from(data).subarray(0, data.length >> 1), mode, false)
    throw Object.assign(new Error('ENOSPC injected'), { code: 'ENOSPC' })
  }
  return { ...counting, disk: { ...counting.disk, createFile }, count: () => files }
}

/** A disk that neither fails nor syncs. */
export function quickDisk(): Disk {
  return reportingDisk(() => undefined, 'all').disk
}
