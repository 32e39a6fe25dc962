// The differential fuzz at length: node scripts/fuzz.mjs [runs], 20,000 sequences unless told.
import { spawnSync } from 'node:child_process'

const runs = Number(process.argv[2] ?? 20_000)
const suites = ['test/fs/differential.test.ts', 'test/fs/descriptors.test.ts']
const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...suites, '--testTimeout', String(24 * 3600 * 1000)]
const env = { ...process.env, ESCROWFS_FUZZ_RUNS: String(runs) }
process.exit(spawnSync(process.execPath, vitest, { stdio: 'inherit', env }).status ?? 1)
