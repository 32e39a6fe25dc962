import { expect, it } from 'vitest'
import { RateLimit } from '../../src/hub-server/rate-limit.js'

it('limits the requests of each caller in a minute', () => {
  let time = 1_000_000
  const limit = new RateLimit(2, () => time)
  expect(['a', 'a', 'a', 'b'].map((caller) => limit.take(caller))).toEqual([true, true, false, true])
  expect([limit.isOver('a'), limit.isOver('b')]).toEqual([true, false])
  time += 59_999
  expect(limit.take('a')).toBe(false)
  time += 1
  expect(limit.take('a')).toBe(true)
})

it('starts a new window when the clock goes back', () => {
  let time = Date.UTC(2100, 0)
  const limit = new RateLimit(1, () => time)
  expect(['a', 'a'].map((caller) => limit.take(caller))).toEqual([true, false])
  time -= 86_400_000
  expect(['a', 'a'].map((caller) => limit.take(caller))).toEqual([true, false])
})
