// Runs the differential fuzz suites at length: node scripts/fuzz.mjs [runs] [seed]. The default is 20,000 sequences per suite, in batches.
// A failing batch prints its seed. ESCROWFS_FUZZ_RUNS and ESCROWFS_FUZZ_SEED repeat its sequences.
import { spawnSync } from 'node:child_process'

const BATCH = 2_000
const runs = Number(process.argv[2] ?? 20_000)
const first = Number(process.argv[3] ?? Date.now() % 1e9)
const suites = [
  'test/histories/histories.test.ts',
  'test/trace/tampering.test.ts',
  'test/transparency/merkle.test.ts',
  ...['differential', 'descriptors', 'glob-differential'].map((name) => `test/fs/${name}.test.ts`),
]
// A fixed table of calls, run in the first batch only.
const TABLE = 'test/fs/node-shapes.test.ts'
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--testTimeout', String(3600 * 1000)]

for (let done = 0; done < runs; done += BATCH) {
  const [batch, seed] = [Math.min(BATCH, runs - done), first + done]
  const env = { ...process.env, ESCROWFS_FUZZ_RUNS: String(batch), ESCROWFS_FUZZ_SEED: String(seed) }
  console.log(`\n${done + batch} of ${runs} sequences, seed ${seed}, on Node ${process.versions.node}`)
  const { status } = spawnSync(process.execPath, [...vitest, ...suites, ...(done === 0 ? [TABLE] : [])], {
    stdio: 'inherit',
    env,
  })
  if (status !== 0) process.exit(status ?? 1)
}
