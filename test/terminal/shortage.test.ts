import { expect, it } from 'vitest'
import { markShortage } from '../../src/terminal/shortage.js'

const failed = (problem: string) =>
  ({ works: false, failure: { what: 'overlay', problem, fix: 'modprobe overlay' } }) as const

it.each([
  ['sh: 2: Cannot fork', /^Too many processes run\./],
  ['spawn unshare EAGAIN', /^Too many processes run\./],
  ['bwrap: Creating new namespace failed: Resource temporarily unavailable', /^Too many processes run\./],
  ['unshare: unshare failed: Cannot allocate memory', /^Memory is used up\./],
  ['bwrap was ended by SIGKILL.', /^Memory is used up\./],
  ['A command exited with 137.', /^Memory is used up\./],
  ['A command was stopped: memory.', /^Memory is used up\./],
  ['A command was stopped: processes.', /^Too many processes run\./],
  ['A command was stopped: timeout.', /^The machine is too busy\./],
  ['spawnSync unshare ETIMEDOUT', /^The machine is too busy\./],
  ['holder cannot be started: too many files are open (EMFILE).', /^Too many files are open\./],
  ["ENOSPC: no space left on device, mkdir '/tmp/x'", /^The disk is full\./],
])('%s is a shortage of the moment, with its own advice', (problem, fix) => {
  expect(markShortage(failed(problem))).toEqual({
    works: false,
    failure: { what: 'overlay', problem, fix: expect.stringMatching(fix), isShortage: true },
  })
})

it.each([
  failed('mount: permission denied'),
  failed('unshare was ended by SIGSYS.'),
  failed('unshare: unshare failed: No space left on device'),
  { works: true } as const,
])('any other result stays as it is', (attempt) => {
  expect(markShortage(attempt)).toBe(attempt)
})
