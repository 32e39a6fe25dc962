import { accessSync, constants, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'

const MEMORY = '/dev/shm'

export interface Place {
  readonly path: string
  /** The medium of the files, for the report. */
  readonly medium: 'tmpfs' | 'disk'
}

const createdDirs: string[] = []

/** Creates a temporary directory, in memory if the machine has a tmpfs. */
export function memoryPlace(): Place {
  try {
    accessSync(MEMORY, constants.W_OK)
    return { path: newDir(MEMORY), medium: 'tmpfs' }
  } catch {
    return diskPlace()
  }
}

/** Creates a temporary directory on a disk: below `ESCROWFS_BENCH_DIR`, or the system's temporary directory. */
export function diskPlace(): Place {
  return { path: newDir(process.env.ESCROWFS_BENCH_DIR ?? tmpdir()), medium: 'disk' }
}

export function removePlaces(): void {
  for (const path of createdDirs.splice(0)) rmSync(path, { recursive: true, force: true })
}

function newDir(parent: string): string {
  const path = realpathSync(mkdtempSync(`${parent}/escrowfs-bench-`))
  createdDirs.push(path)
  return path
}

/** Writes `count` files of `bytes` each, `perDir` per directory. Returns their paths. */
export function makeFiles(dir: string, count: number, bytes: number, perDir = count, ending = 'ts'): string[] {
  const content = contentOf(bytes)
  const paths = namesOf(dir, count, perDir, ending)
  for (const path of paths) {
    mkdirSync(parentOf(path), { recursive: true })
    writeFileSync(path, content)
  }
  return paths
}

/** The paths `dir/f0.ts` …, or `dir/d0/f0.ts` … for several directories. */
export function namesOf(dir: string, count: number, perDir = count, ending = 'ts'): string[] {
  return Array.from({ length: count }, (_, n) =>
    perDir >= count ? `${dir}/f${n}.${ending}` : `${dir}/d${Math.floor(n / perDir)}/f${n}.${ending}`,
  )
}

export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'))
}

/** Realistic content: one line of source code, repeated. */
export function contentOf(bytes: number): Buffer {
  return Buffer.alloc(bytes, 'export const price = (net: number): number => Math.round(net * 1.2)\n')
}
