import { describe, expect, it } from 'vitest'
import { diffFile } from '../../src/review/diff.js'
import { createDiffMemory } from '../../src/review/diff-memory.js'

const make = () => diffFile(Buffer.from('a\n'), Buffer.from('b\n'), 'x')

describe('a cache of comparisons', () => {
  it('keeps the comparisons of the last view, and drops the others', () => {
    const memory = createDiffMemory()
    const first = memory.of('k', () => 4, make)
    expect(memory.of('k', () => 4, make)).toBe(first)
    memory.startView()
    expect(memory.of('k', () => 4, make)).toBe(first)
    memory.startView()
    memory.startView()
    expect(memory.of('k', () => 4, make)).not.toBe(first)
  })

  it('keeps nothing large, and stays within its limit', () => {
    const memory = createDiffMemory()
    expect(memory.of('large', () => 1 << 20, make)).not.toBe(memory.of('large', () => 1 << 20, make))
    const size = () => 200 * 1024
    const all = Array.from({ length: 200 }, (_, index) => memory.of(`${index}`, size, make))
    expect(memory.of('0', size, make)).toBe(all[0])
    expect(memory.of('199', size, make)).not.toBe(all[199])
  })
})
