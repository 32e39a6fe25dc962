import fs from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { asRelPath, Overlay, openLower, Stage } from '../../overlay/index.js'
import { DiskWatch } from '../../src/exec/disk-changes.js'
import { IngestLedger } from '../../src/exec/ingest-ledger.js'
import { tempDir } from '../support/facade.js'

const HOUR = 3_600_000
const START = 1_800_000_000_123
const MOUNTED = BigInt(START + 50) * 1_000_000n

/** A workspace with a file that changed at a time (milliseconds), and a command that started when both clocks were at their start. */
function scene(changedAt: number) {
  const { path: root, dispose } = tempDir()
  onTestFinished(dispose)
  fs.writeFileSync(`${root}/file`, '')
  const disk = openLower(root)
  const lower: typeof disk = {
    ...disk,
    lstatBig: (path) => {
      const stats = disk.lstatBig(path)
      return stats && Object.assign(stats, { ctimeNs: BigInt(changedAt) * 1_000_000n })
    },
  }
  const overlay = new Overlay({ lower, stage: new Stage() })
  const clocks = { wall: START, steady: 1_000 }
  const watch = new DiskWatch(new IngestLedger(), () => ({ ...clocks }))
  watch.begin(overlay, () => false)
  /** Passes time by the monotonic clock, and as much by the wall clock, which is set in addition. */
  const pass = (steady: number, setBy = 0) => {
    clocks.steady += steady
    clocks.wall += steady + setBy
  }
  const look = () => watch.changesSince(overlay, { mountedAt: () => MOUNTED, seededState: () => undefined })
  return { pass, look, isStale: () => look().isStale(asRelPath('file')) }
}

it('a change after the mount is one, also with an earlier time because the clock was set back', () => {
  const { pass, isStale } = scene(START - HOUR + 5_000)
  pass(1_000)
  expect(isStale()).toBe(false)
  pass(4_000, -HOUR)
  expect(isStale()).toBe(true)
})

it('a change from before the time that the clock was set back to is none', () => {
  const { pass, isStale } = scene(START - 2 * HOUR)
  pass(4_000, -HOUR)
  expect(isStale()).toBe(false)
})

it('a clock that was set back, and forward again after a look, is remembered until the next command', () => {
  const { pass, look, isStale } = scene(START - HOUR + 5_000)
  pass(4_000, -HOUR)
  look()
  pass(1_000, HOUR)
  expect(isStale()).toBe(true)
})

it('a clock that was set forward, or is read late, makes no change of an earlier one', () => {
  const { pass, isStale } = scene(START - 1_000)
  pass(500, -10)
  expect(isStale()).toBe(false)
  pass(500, HOUR)
  expect(isStale()).toBe(false)
})

it('the time before which a file time was set on purpose follows the clock', () => {
  const { pass, look } = scene(START - HOUR)
  expect(look().startedAt).toBe(START)
  pass(4_000, -HOUR)
  expect(look().startedAt).toBeLessThanOrEqual(START - HOUR)
})
