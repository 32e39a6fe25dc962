import { relative } from 'node:path'
import picomatch from 'picomatch'
import { expect } from 'vitest'
import { ON_DISK } from './scratch.js'

/** Before each suite: sets its temporary directory on a disk or in memory. */

const { ESCROWFS_TEST_DISK: disk, ESCROWFS_TEST_SCRATCH: scratch } = process.env
const suite = relative(process.cwd(), expect.getState().testPath ?? '').replaceAll('\\', '/')
process.env.TMPDIR = picomatch.isMatch(suite, [...ON_DISK]) ? disk : scratch
