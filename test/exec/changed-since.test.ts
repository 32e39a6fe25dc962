import { type BigIntStats, lstatSync } from 'node:fs'
import { expect, it } from 'vitest'
import { asRelPath } from '../../overlay/index.js'
import { changedSince } from '../../src/exec/changed-since.js'

const SECOND = 1_000_000_000n
const START = 1_800_000_000n * SECOND + 700_000_000n

/** A workspace with a file that changed at a time; nothing where a stage covers the disk. */
function changedAt(ctimeNs: bigint | undefined) {
  const stats: BigIntStats = Object.assign(lstatSync('.', { bigint: true }), { ctimeNs })
  const lower = { lstatBig: () => stats }
  return { lower, shownAt: () => ({ lower: ctimeNs === undefined ? undefined : asRelPath('a') }) }
}

it.each([
  ['later', START + 1n, true],
  ['at that time', START, true],
  ['earlier', START - 1n, false],
  ['in the same second, on a file system with whole seconds', START - 700_000_000n, true],
  ['in the second before, there', START - 700_000_000n - SECOND, false],
  ['in the stage alone', undefined, false],
])('a file that changed %s', (_, time, isChanged) => {
  expect(changedSince(changedAt(time), asRelPath('a'), START)).toBe(isChanged)
})
