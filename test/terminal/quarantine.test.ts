import { expect, it, onTestFinished } from 'vitest'
import type { RelPath } from '../../overlay/index.js'
import { effectOf, listQuarantined, quarantine } from '../../src/terminal/index.js'
import { tempDir } from '../support/facade.js'

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
