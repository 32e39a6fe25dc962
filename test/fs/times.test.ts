import fs from 'node:fs'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { timeNs, unixTime } from '../../src/fs/times.js'
import { tempDir } from '../support/facade.js'

let dir: ReturnType<typeof tempDir>
beforeEach(() => {
  dir = tempDir()
})
afterEach(() => dir.dispose())

/** The host's result for a time: nanoseconds on its disk, or its error's code. */
function byHost(time: unknown): bigint | string | undefined {
  const file = `${dir.path}/f`
  fs.writeFileSync(file, '')
  try {
    Reflect.apply(fs.utimesSync, fs, [file, time, time])
    return fs.statSync(file, { bigint: true }).mtimeNs
  } catch (error) {
    return (error as NodeJS.ErrnoException).code
  }
}

function byUs(time: unknown): bigint | string | undefined {
  try {
    return timeNs(unixTime(time))
  } catch (error) {
    return (error as NodeJS.ErrnoException).code
  }
}

describe('times', () => {
  it('are the host’s on disk, to the nanosecond', () => {
    const seconds = fc.double({ min: 0, max: 4e9, noNaN: true })
    const dates = fc.date({ min: new Date(-1e9), max: new Date(4e12), noInvalidDate: true })
    fc.assert(
      fc.property(fc.oneof(seconds, dates, seconds.map(String)), (time) => {
        expect(byUs(time)).toBe(byHost(time))
      }),
      { numRuns: 200 },
    )
  })

  it.each([undefined, null, Number.NaN, Number.POSITIVE_INFINITY, 'soon', {}, true, 5n])(
    '%s is not a valid time',
    (time) => {
      expect(byUs(time)).toBe('ERR_INVALID_ARG_TYPE')
      expect(byHost(time)).toBe('ERR_INVALID_ARG_TYPE')
    },
  )

  it('below zero mean now, as numbers', () => {
    expect(Math.abs(unixTime(-1) - Date.now() / 1000)).toBeLessThan(60)
    expect(unixTime('-1')).toBe(-1)
  })

  it('that are not numbers fail as on the host', () => {
    const host = byHost(new Date(Number.NaN))
    expect(byUs(new Date(Number.NaN))).toBe(host === 'EINVAL' ? 'EINVAL' : undefined)
  })
})
