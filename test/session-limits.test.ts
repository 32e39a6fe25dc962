import { expect, it } from 'vitest'
import { SessionLimits } from '../src/session-limits.js'

const access = (path: string) => ({ effect: 'put' as const, path, asked: path })

it('a minute passes: what was written in it no longer counts', () => {
  let now = 0
  const limits = new SessionLimits(new Set(), () => now)
  const take = () => limits.take(access('a'), { opsPerMinute: 2 })?.reason
  expect([take(), take(), take()]).toEqual([undefined, undefined, 'limit_exceeded'])
  now = 30_000
  expect(take()).toBe('limit_exceeded')
  now = 60_000
  expect([take(), take(), take()]).toEqual([undefined, undefined, 'limit_exceeded'])
})

it('a path that is staged already is no further one', () => {
  const limits = new SessionLimits(new Set(['a', 'b']))
  expect(limits.take(access('a'), { files: 2 })).toBeUndefined()
  expect(limits.take(access('c'), { files: 2 })).toMatchObject({ reason: 'limit_exceeded' })
  expect(limits.take(access('c'), {})).toBeUndefined()
})
