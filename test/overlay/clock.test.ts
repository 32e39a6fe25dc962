import { afterEach, describe, expect, it, vi } from 'vitest'
import { nowNs } from '../../overlay/clock.js'

afterEach(() => void vi.useRealTimers())

/** Sets the clock of the process. */
function setClock(ms: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: ms })
}

describe('the time of a staged change', () => {
  it('is later than the previous one, within a millisecond and if the clock loses less than a second', () => {
    const start = Date.now() + 1_000
    setClock(start)
    const times = [nowNs(), nowNs()]
    setClock(start - 900)
    times.push(nowNs())
    setClock(start + 1)
    times.push(nowNs())
    expect(times.map(BigInt)).toEqual([...times.map(BigInt)].sort((a, b) => (a < b ? -1 : 1)))
    expect(new Set(times).size).toBe(times.length)
  })

  it('follows a clock that is set back', () => {
    const start = Date.now()
    setClock(start + 1_800_000)
    nowNs()
    setClock(start)
    expect(nowNs()).toBe(`${start}000000`)
  })
})
