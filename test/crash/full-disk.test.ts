import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { compileOnce } from '../support/compiled.js'
import { tempDir } from '../support/facade.js'

interface Outcome {
  readonly free: number
  readonly outcome: string
  readonly isWhole: boolean
  readonly word: string
  readonly next: string
  readonly ok: boolean
  readonly commits: number
}

const KIB = Array.from({ length: 24 }, (_, i) => i * 4)

function run(command: string, args: readonly string[]): Outcome[] | undefined {
  const { status, stdout } = spawnSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  if (status !== 0) return undefined
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Outcome)
}

/** Runs the child on a private file system of 256 KiB in memory. Undefined if the host does not allow one. */
function onSmallDisk(place: string, child: string): Outcome[] | undefined {
  const script = 'mount -t tmpfs -o size=256k tmpfs "$0" && exec "$@"'
  const isThere = spawnSync('unshare', ['-Urm', 'sh', '-c', script, place, 'true'], { stdio: 'ignore' }).status === 0
  if (!isThere) return undefined
  return run('unshare', ['-Urm', 'sh', '-c', script, place, process.execPath, child, place, ...KIB.map(String)])
}

/** Runs the child with a limit on file sizes: the kernel refuses the rest of a write, as on a full disk. */
function underLimits(place: string, child: string): Outcome[] {
  const script = 'ulimit -f "$0"; shift 0; exec "$@"'
  return KIB.slice(1, 12).flatMap((kib) => {
    return run('bash', ['-c', script, String(kib / 4), process.execPath, child, place, '1000000']) ?? []
  })
}

it('a commit on a full disk fails with a reason, leaves the tree whole, and works once there is space', () => {
  const { path, dispose } = tempDir()
  try {
    const child = `${compileOnce()}/test/children/filling.js`
    const small = onSmallDisk(path, child)
    const outcomes = small ?? underLimits(path, child)
    console.log(small ? `on a tmpfs of 256 KiB: ${outcomes.length} amounts of free space` : 'no tmpfs: by RLIMIT_FSIZE')
    expect(outcomes.length).toBeGreaterThan(5)
    for (const each of outcomes) {
      expect(each).toMatchObject({ isWhole: true, ok: true })
      if (each.outcome === 'done') expect(each.word).toBe('new')
      else if (small) expect(['limit_exceeded', 'ledger_unavailable']).toContain(each.outcome)
      if (small) expect(each.next).toBe('done')
      if (small) expect(each.commits).toBe(each.word === 'new' ? 2 : 1)
    }
    const ends = new Set(outcomes.map(({ outcome }) => outcome === 'done'))
    expect([...ends].sort()).toEqual([false, true])
  } finally {
    dispose()
  }
})
