import { relative } from 'node:path'
import fc from 'fast-check'
import picomatch from 'picomatch'
import { expect } from 'vitest'
import { fuzzSeed } from './fuzz.js'
import { restoreAfterSuite } from './restore.js'
import { ON_DISK } from './scratch.js'

/** Before each suite: sets its temporary directory on a disk or in memory, the seed of its random cases, and how contents are compared. */

fc.configureGlobal({ seed: fuzzSeed() })

const { ESCROWFS_TEST_DISK: disk, ESCROWFS_TEST_SCRATCH: scratch } = process.env
const suite = relative(process.cwd(), expect.getState().testPath ?? '').replaceAll('\\', '/')
process.env.TMPDIR = picomatch.isMatch(suite, [...ON_DISK]) ? disk : scratch
// By default each byte is compared as a property, which takes seconds for a large file.
expect.addEqualityTesters([(a, b) => (Buffer.isBuffer(a) && Buffer.isBuffer(b) ? a.equals(b) : undefined)])
restoreAfterSuite()
