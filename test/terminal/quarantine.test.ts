import { expect, it, onTestFinished } from 'vitest'
import type { RelPath } from '../../overlay/index.js'
import { effectOf, listQuarantined, quarantine } from '../../src/terminal/index.js'
import { tempDir } from '../support/facade.js'
import { site } from './site.js'

it('a file with unreadable content is listed, and the others are kept', () => {
  const { path: dir, dispose } = tempDir()
  onTestFinished(dispose)
  const file = (path: string, read: () => Buffer) => ({
    ...{ path, reason: 'scope_violation', message: `${path} is out of scope.` },
    effect: { kind: 'file', path: path as RelPath, mode: 0o644, size: 1, ino: 1, stamp: '', read } as const,
  })
  const unread = file('locked', () => {
    throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' })
  })
  quarantine(dir, [unread, file('kept', () => Buffer.from('k'))])
  const found = listQuarantined(dir)
  expect(found.map((each) => [each.path, each.reason, effectOf(each) !== undefined])).toEqual([
    ['locked', 'scope_violation', false],
    ['kept', 'scope_violation', true],
  ])
})

it('a file that is too long to stage is refused as such, without advice about limits in policy.yaml', async () => {
  const { session, workspace } = await site()
  const { refused } = await session.exec('truncate -s 1073741825 long.bin')
  expect(refused).toMatchObject([
    { path: 'long.bin', reason: 'unsupported', message: expect.stringContaining('longer than 1 GiB') },
  ])
  const kept = await (await workspace.review(session.id)).quarantined()
  expect(kept).toMatchObject([{ path: 'long.bin', reason: 'unsupported' }])
})
