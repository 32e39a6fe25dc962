// Runs the crash tests and property tests at length: node scripts/soak.mjs [room …]. The default is every room.
import { spawnSync } from 'node:child_process'

/** The files of each room, and the numbers of real kills and random sequences. */
const ROOMS = {
  stage: { files: ['test/crash/stage.test.ts'], env: { ESCROWFS_KILLS: 300 } },
  commit: {
    files: ['test/crash/kill.test.ts', 'test/crash/counter.test.ts'],
    env: {
      ESCROWFS_KILLS: 500,
      ESCROWFS_RECOVERY_KILLS: 100,
      ESCROWFS_COUNTERS: 16,
      ESCROWFS_INCREMENTS: 500,
    },
  },
  faults: { files: ['test/crash/commit.test.ts'], env: { ESCROWFS_FAULTS: 'all' } },
  power: { files: ['test/crash/power.test.ts'], env: { ESCROWFS_CRASH_STATES: 60 } },
  places: { files: ['test/attacks/places.test.ts'], env: { ESCROWFS_FUZZ_RUNS: 100_000 } },
  swap: { files: ['test/crash/swap.test.ts'], env: { ESCROWFS_FUZZ_RUNS: 20_000 } },
  attacks: {
    files: ['test/attacks/table.test.ts', 'test/attacks/legitimate.test.ts'],
    env: { ESCROWFS_ATTACKS: 'apart' },
  },
  blame: { files: ['test/trace/histories.test.ts'], env: { ESCROWFS_FUZZ_RUNS: 3000 } },
  ledger: { files: ['test/trace/race.test.ts'], env: { ESCROWFS_APPENDERS: 16, ESCROWFS_APPENDS: 2000 } },
  undo: { files: ['test/release/undo-session.test.ts'], env: { ESCROWFS_FUZZ_RUNS: 2000 } },
  overlay: {
    files: [
      'test/overlay/revert.test.ts',
      'test/overlay/model.test.ts',
      'test/overlay/snapshot.test.ts',
      'test/overlay/travel.test.ts',
      'test/overlay/image.test.ts',
      'test/overlay/stage-log.test.ts',
    ],
    env: { ESCROWFS_FUZZ_RUNS: 5000 },
  },
  session: {
    files: ['test/crash/session.test.ts', 'test/crash/git.test.ts', 'test/crash/git-steps.test.ts'],
    env: { ESCROWFS_KILLS: 300 },
  },
  terminal: {
    files: ['test/terminal/differential.test.ts', 'test/terminal/copy-differential.test.ts'],
    env: { ESCROWFS_FUZZ_RUNS: 2000 },
  },
}

/** A failure prints it; ESCROWFS_FUZZ_SEED repeats its cases. */
const SEED = Date.now() % 1e9

const named = process.argv.slice(2)
const unknown = named.filter((room) => !(room in ROOMS))
if (unknown.length > 0) {
  console.error(`No such room: ${unknown.join(', ')}. There are: ${Object.keys(ROOMS).join(', ')}.`)
  process.exit(2)
}

function soak(room) {
  const { files, env } = ROOMS[room]
  console.log(
    `soak ${room}: ${Object.entries(env)
      .map(([name, value]) => `${name}=${value}`)
      .join(' ')}`,
  )
  const args = ['node_modules/vitest/vitest.mjs', 'run', ...files, '--testTimeout', String(24 * 3600 * 1000)]
  // The environment overrides these numbers.
  const seeded = { ESCROWFS_FUZZ_SEED: String(SEED), ...env, ...process.env }
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit', env: seeded })
  return status ?? 1
}

const statuses = (named.length > 0 ? named : Object.keys(ROOMS)).map(soak)
process.exit(statuses.find((status) => status !== 0) ?? 0)
