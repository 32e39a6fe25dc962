import { chmodSync, mkdirSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'

/** Suites about disk behaviour, which need a real disk. */
export const ON_DISK: readonly string[] = [
  'test/{commit,fs,os,overlay,terminal}/**',
  // commit.test.ts simulates disk failures.
  'test/crash/!(commit).test.ts',
  'test/{commit,workspace}*.test.ts',
  'test/hostile-repository/inputs*.test.ts',
  'test/package.test.ts',
]

const MEMORY = '/dev/shm'
/** Free bytes that a run needs, with a large margin. A container may have only 64 MB there. */
const MIN_FREE_BYTES = 1 << 30
const DAY_MS = 24 * 60 * 60 * 1000

const NAME = `escrowfs-tests-${process.pid}`
/** The directory of these suites. Both directories are removed after the run, with everything that tests leave there. */
export const DISK = join(tmpdir(), NAME)
/** The directory of all other suites, in memory if there is room, because they would mostly wait for a disk. */
export const SCRATCH = join(hasRoom() ? MEMORY : tmpdir(), NAME)

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize >= MIN_FREE_BYTES
  } catch {
    return false
  }
}

export function setup(): void {
  for (const path of killedRuns()) rmSync(path, { recursive: true, force: true })
  // Some tests continue as another user, who must reach their files.
  mkdirSync(SCRATCH, { recursive: true, mode: 0o711 })
  mkdirSync(DISK, { recursive: true })
  // As /tmp.
  chmodSync(DISK, 0o1777)
}

/** The directories of killed runs. No run lasts a day. */
function killedRuns(): string[] {
  return [...new Set([DISK, SCRATCH].map((path) => dirname(path)))]
    .flatMap((parent) => readdirSync(parent).map((name) => join(parent, name)))
    .filter((path) => /^escrowfs-tests-\d+$/.test(basename(path)))
    .filter((path) => Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > DAY_MS)
}

export function teardown(): void {
  for (const path of [DISK, SCRATCH]) rmSync(path, { recursive: true, force: true })
}
