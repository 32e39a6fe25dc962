import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { compiledSources } from './test/support/compiled-plugin.js'
import { GROUPS, LIBRARIES, OWN_PROCESS, REAL_CLIENTS, REAL_EDITOR, REAL_POSTGRES } from './test/support/isolation.js'
import { DISK, SCRATCH } from './test/support/scratch.js'
import { LongFirst } from './test/support/sequence.js'

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))

const SEPARATE = [...OWN_PROCESS, ...REAL_CLIENTS, ...REAL_EDITOR, ...REAL_POSTGRES, ...LIBRARIES]
/** Few enough for a machine of 16 GiB. */
const MOST_WORKERS = 7
const groups = Object.entries(GROUPS)
const matched = (at: number) => groups.slice(0, at).flatMap(([, globs]) => globs)

export default defineConfig({
  // The examples import the package by its name: here it is the source as it is now.
  resolve: {
    alias: [
      { find: /^escrowfs$/, replacement: here('src/index.ts') },
      { find: /^escrowfs\/hooks$/, replacement: here('src/hooks/index.ts') },
    ],
  },
  test: {
    testTimeout: 180_000,
    hookTimeout: 180_000,
    pool: 'forks',
    // V8 collects garbage earlier below a limit.
    execArgv: ['--max-old-space-size=1024'],
    // A fifth of the time tests wait for other programs: two workers more than cores keep all busy. Each takes up to 2 GiB.
    maxWorkers: Math.min(availableParallelism() + 2, MOST_WORKERS),
    // On a busy CI machine a test may run out of time while it waits for another program. It runs once more, and the report names it.
    retry: process.env.CI === undefined ? 0 : 1,
    reporters: ['default'],
    env: {
      XDG_STATE_HOME: join(SCRATCH, 'state'),
      ESCROWFS_TEST_DISK: DISK,
      ESCROWFS_TEST_SCRATCH: SCRATCH,
    },
    globalSetup: ['test/support/machine.ts', 'test/support/certificates.ts', 'test/support/scratch.ts'],
    setupFiles: ['test/support/setup.ts'],
    // One shuffled order by default, so that a failure repeats; `--sequence.seed N` tries another.
    sequence: { sequencer: LongFirst, shuffle: { files: false, tests: true }, seed: 1_795_601_144_370 },
    projects: [
      { extends: true, test: { name: 'own', include: [...OWN_PROCESS] } },
      ...groups.map(([name, include], at) => ({
        extends: true as const,
        plugins: [compiledSources()],
        test: { name, isolate: false, include: [...include], exclude: [...SEPARATE, ...matched(at)] },
      })),
    ],
  },
})
