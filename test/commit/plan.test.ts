import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sha256hex } from '../../overlay/digest.js'
import { decodePlan, encodePlan, isPlainPath } from '../../src/commit/plan.js'
import type { Plan } from '../../src/commit/types.js'
import { stateOf } from './kit.js'

const PLAN: Plan = {
  version: 3,
  seq: 7,
  tx: '7-0a1b2c3d',
  dir: { name: '7-0a1b2c3d-00', inode: '5' },
  sessionId: 's',
  strict: false,
  changes: [{ n: 0, path: 'a/b', op: 'create', old: null, new: stateOf({ file: 'x' }) }],
  records: [{ id: 'r', text: 'line\nbreak  ' }],
}

const corrupt = expect.objectContaining({ reason: 'ledger_corrupt' })
const withDigest = (value: unknown) => {
  const json = JSON.stringify(value)
  return `${json}\n${sha256hex(json)}\n`
}

describe('a plan file', () => {
  it('is read back as it was written', () => {
    expect(decodePlan(encodePlan(PLAN), '7')).toEqual(PLAN)
  })

  it('is refused when any of its characters changed', () => {
    const text = encodePlan(PLAN)
    fc.assert(
      fc.property(fc.nat(text.length - 2), fc.integer({ min: 32, max: 126 }), (at, code) => {
        const changed = text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1)
        if (changed !== text) expect(() => decodePlan(changed, '7')).toThrow(corrupt)
      }),
    )
  })

  it.each([
    ['a later version', { ...PLAN, version: 4 }],
    ['a path with ..', { ...PLAN, changes: [{ ...PLAN.changes[0], path: '../a' }] }],
    ['a transaction elsewhere', { ...PLAN, tx: '../../etc' }],
    ['an unknown op', { ...PLAN, changes: [{ ...PLAN.changes[0], op: 'exec' }] }],
    ['no records', { ...PLAN, records: undefined }],
    ['an invalid record', { ...PLAN, records: [1] }],
    ['a list', []],
  ])('is refused when it names %s, even with a good checksum', (_what, value) => {
    expect(() => decodePlan(withDigest(value), '7')).toThrow(corrupt)
  })

  it.each(['', '/a', 'a/', 'a//b', '.', 'a/../b', 'a\0b'])('recognizes that %j is not a plain path', (path) => {
    expect(isPlainPath(path)).toBe(false)
  })
})
