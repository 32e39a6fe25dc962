// The differential fuzz at length: node scripts/fuzz.mjs [runs] [seed]: 20,000 sequences a suite unless told, in pieces.
// A piece that fails names its seed: ESCROWFS_FUZZ_RUNS and ESCROWFS_FUZZ_SEED give the same sequences again.
import { spawnSync } from 'node:child_process'

const PIECE = 2_000
const runs = Number(process.argv[2] ?? 20_000)
const first = Number(process.argv[3] ?? Date.now() % 1e9)
const suites = [
  'test/histories/histories.test.ts',
  ...['differential', 'descriptors', 'glob-differential'].map((name) => `test/fs/${name}.test.ts`),
]
// A table of calls without chance: all of it is tried in the first piece.
const TABLE = 'test/fs/node-shapes.test.ts'
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--testTimeout', String(3600 * 1000)]

for (let done = 0; done < runs; done += PIECE) {
  const [piece, seed] = [Math.min(PIECE, runs - done), first + done]
  const env = { ...process.env, ESCROWFS_FUZZ_RUNS: String(piece), ESCROWFS_FUZZ_SEED: String(seed) }
  console.log(`\n${done + piece} of ${runs} sequences, by seed ${seed}, on Node ${process.versions.node}`)
  const { status } = spawnSync(process.execPath, [...vitest, ...suites, ...(done === 0 ? [TABLE] : [])], {
    stdio: 'inherit',
    env,
  })
  if (status !== 0) process.exit(status ?? 1)
}
