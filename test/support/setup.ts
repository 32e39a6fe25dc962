import { relative } from 'node:path'
import fc from 'fast-check'
import picomatch from 'picomatch'
import { afterAll, expect } from 'vitest'
import { fuzzSeed } from './fuzz.js'
import { ON_DISK } from './scratch.js'

/**
 * Before each suite: sets its temporary directory on a disk or in memory, and the seed of its random cases. After it: fails a suite that
 * leaves its process changed, because the next one runs in the same process.
 */

fc.configureGlobal({ seed: fuzzSeed() })

const { ESCROWFS_TEST_DISK: disk, ESCROWFS_TEST_SCRATCH: scratch } = process.env
const suite = relative(process.cwd(), expect.getState().testPath ?? '').replaceAll('\\', '/')
process.env.TMPDIR = picomatch.isMatch(suite, [...ON_DISK]) ? disk : scratch

const before = processState()

// vitest runs the hooks of a suite in reverse order, so this one is the last.
afterAll(() => {
  const after = processState()
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => before.get(name) !== after.get(name),
  )
  expect(changed, 'This suite leaves its process changed. Restore what it changes.').toEqual([])
})

/** What a suite may change in its process, by name. Only names are printed: a variable may have a secret. */
function processState(): Map<string, unknown> {
  return new Map<string, unknown>([
    ...Object.entries(process.env),
    ['working directory', process.cwd()],
    ['file mode mask', process.umask()],
    ['user', process.geteuid?.()],
    ['clock', Date],
  ])
}
