import { describe, expect, it } from 'vitest'
import { diffFile } from '../../src/review/diff.js'
import { rememberDiffs } from '../../src/review/diff-memory.js'

const make = () => diffFile(Buffer.from('a\n'), Buffer.from('b\n'), 'x')

describe('a memory of comparisons', () => {
  it('has what the last look asked for, and forgets the rest', () => {
    const memory = rememberDiffs()
    const first = memory.of('k', () => 4, make)
    expect(memory.of('k', () => 4, make)).toBe(first)
    memory.turn()
    expect(memory.of('k', () => 4, make)).toBe(first)
    memory.turn()
    memory.turn()
    expect(memory.of('k', () => 4, make)).not.toBe(first)
  })

  it('keeps nothing large, and not too much in all', () => {
    const memory = rememberDiffs()
    expect(memory.of('large', () => 1 << 20, make)).not.toBe(memory.of('large', () => 1 << 20, make))
    const size = () => 200 * 1024
    const all = Array.from({ length: 200 }, (_, at) => memory.of(`${at}`, size, make))
    expect(memory.of('0', size, make)).toBe(all[0])
    expect(memory.of('199', size, make)).not.toBe(all[199])
  })
})
