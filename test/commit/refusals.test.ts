import { expect, it } from 'vitest'
import { nothingCommitted } from '../../src/commit/prepare.js'
import { FailedChange, refusalFor, refusedCommit, stale, unfinishedCommit } from '../../src/commit/refusals.js'
import { EscrowError } from '../../src/core/api-error.js'

const failure = (code: string) => Object.assign(new Error(code), { code })

it('names the lack of space, not other changes, if the disk is full', () => {
  const refused = [refusalFor('a.txt', failure('ENOSPC')), refusalFor('b.txt', failure('EIO'))]
  expect(refusedCommit(refused).hint).toBe(
    'The disk is full. Free space on it, then commit again. The verdicts are kept.',
  )
  expect(nothingCommitted(failure('EDQUOT'))).toMatchObject({
    reason: 'limit_exceeded',
    hint: 'Free space on the disk, then commit again. The staged changes are kept.',
  })
  expect(unfinishedCommit(failure('ENOSPC'), 3)).toMatchObject({
    hint: "Free space on the disk, then run 'escrow recover' to finish it.",
  })
})

it('names the file at which a decided commit stopped', () => {
  expect(unfinishedCommit(new FailedChange('src/a.ts', 'EPERM', failure('EPERM')), 3)).toMatchObject({
    reason: 'access_denied',
    message: 'Commit 3 is decided but not finished at src/a.ts: operation not permitted (EPERM).',
    hint: "Allow changes (chattr -i, if lsattr shows that it is immutable), then run 'escrow recover' to finish it.",
  })
})

it('says that a commit is decided if its record cannot be written', () => {
  const full = new EscrowError('ledger_unavailable', 'No space is left.', { hint: 'Free space there, then try again.' })
  expect(unfinishedCommit(full, 3)).toMatchObject({
    reason: 'ledger_unavailable',
    message: 'Commit 3 is decided but not finished: No space is left.',
    hint: "Free space there, then try again. 'escrow recover' finishes the commit.",
  })
})

it('asks to discard or correct stale changes', () => {
  const { hint } = refusedCommit([refusalFor('a.txt', stale('a.txt'))])
  expect(hint).toMatch(/^Discard or correct these changes/)
  for (const [code, first] of [
    ['EIO', 'Correct the cause, then'],
    ['EROFS', 'Mount the disk for writing, then'],
    ['EACCES', 'Give yourself access to the directory with chmod or chown, then'],
  ] as const)
    expect(nothingCommitted(failure(code))).toMatchObject({ hint: expect.stringMatching(new RegExp(`^${first}`)) })
})
