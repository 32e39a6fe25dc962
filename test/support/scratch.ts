import { mkdirSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** Suites about what a disk does: they write to a real one. */
export const ON_DISK: readonly string[] = [
  'test/{commit,fs,host,overlay,terminal}/**',
  // The disk of this one is told when to fail.
  'test/crash/!(commit).test.ts',
  'test/{commit,host,workspace}*.test.ts',
  'test/hostile-repository/inputs*.test.ts',
  'test/package.test.ts',
]

const MEMORY = '/dev/shm'
/** Free bytes, several times what a run fills at once: a container may have 64 MB there. */
const ROOM = 1 << 30
const DAY_MS = 24 * 60 * 60 * 1000

/**
 * Where all other suites write, in memory where there is room: on a disk they wait for it longer than they work. It goes with the
 * run, and so does what tests leave outside of their workspaces: nothing of the user's is touched.
 */
export const SCRATCH = join(hasRoom() ? MEMORY : tmpdir(), `escrowfs-tests-${process.pid}`)

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize >= ROOM
  } catch {
    return false
  }
}

export function setup(): void {
  for (const path of ofKilledRuns()) rmSync(path, { recursive: true, force: true })
  // Some tests go on as another user, who must get to what they have made.
  mkdirSync(SCRATCH, { recursive: true, mode: 0o711 })
}

/** A run that is killed takes nothing away; none lasts a day. */
function ofKilledRuns(): string[] {
  const parent = dirname(SCRATCH)
  return readdirSync(parent)
    .filter((name) => /^escrowfs-tests-\d+$/.test(name))
    .map((name) => join(parent, name))
    .filter((path) => Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > DAY_MS)
}

export function teardown(): void {
  rmSync(SCRATCH, { recursive: true, force: true })
}
