import { describe, expect, it } from 'vitest'
import { memoryAfterGc } from '../../bench/heap.js'
import { OutputRing } from '../../src/terminal/output-ring.js'

describe('the output of a running command', () => {
  it('is read by its position in the whole output, as far as it is kept', () => {
    const ring = new OutputRing(4)
    expect(ring.read(0, false)).toEqual({ text: '', from: 0, next: 0 })
    ring.add(Buffer.from('abc'))
    expect(ring.read(1, false)).toEqual({ text: 'bc', from: 1, next: 3 })
    ring.add(Buffer.from('def'))
    expect(ring.read(1, false)).toEqual({ text: 'cdef', from: 2, next: 6 })
    expect(ring.read(99, false)).toEqual({ text: '', from: 6, next: 6 })
    ring.add(Buffer.from('0123456789'))
    expect(ring.read(0, false)).toEqual({ text: '6789', from: 12, next: 16 })
  })

  it('splits no character', () => {
    const ring = new OutputRing(100)
    const bytes = Buffer.from('a€')
    ring.add(bytes.subarray(0, 2))
    expect(ring.read(0, false)).toEqual({ text: 'a', from: 0, next: 1 })
    expect(ring.read(0, true).next).toBe(2)
    ring.add(bytes.subarray(2))
    expect(ring.read(1, false)).toEqual({ text: '€', from: 1, next: 4 })
    ring.add(Buffer.from([0xff, 0x80, 0x80, 0x80]))
    expect(ring.read(4, false).next).toBe(8)
  })

  it('uses memory only for the kept part, however small the chunks are', () => {
    const ring = new OutputRing(1 << 20)
    const before = memoryAfterGc().live
    for (let n = 0; n < 400_000; n++) ring.add(Buffer.from(String(n % 10)))
    expect(memoryAfterGc().live - before).toBeLessThan(8 << 20)
    expect(ring.read(399_990, true)).toEqual({ text: '0123456789', from: 399_990, next: 400_000 })
  })
})
