import { expect, it } from 'vitest'
import { adviceFor } from '../../src/core/errno-advice.js'

it('a program that cannot be started for too many processes has advice, and a stream that is not ready has none', () => {
  const error = (syscall: string) => Object.assign(new Error('EAGAIN'), { code: 'EAGAIN', syscall })
  expect(adviceFor(error('spawn unshare'))).toMatch(/^Too many processes run\./)
  expect(adviceFor(error('read'))).toBeUndefined()
  expect(adviceFor(Object.assign(new Error('full'), { code: 'ENOSPC' }))).toMatch(/^The disk is full\./)
  expect(adviceFor(new Error('It failed.'))).toBeUndefined()
})
