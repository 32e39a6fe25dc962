import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFinder, findEach } from '../../src/core/find-sequence.js'

/** Few letters, so that a part occurs often, or almost. */
const text = (maxLength: number) => fc.string({ unit: fc.constantFrom('a', 'b', 'ä', '\n'), maxLength })

describe('the search for a sequence', () => {
  it('finds the same as indexOf in a text', () => {
    fc.assert(
      fc.property(text(40), text(5), fc.nat(40), (all, part, from) => {
        const start = Math.min(from, all.length)
        expect(createFinder(part)(all, start)).toBe(all.indexOf(part, start))
      }),
      { numRuns: 2_000 },
    )
  })

  it('finds lines in a list of lines', () => {
    fc.assert(
      fc.property(text(40), text(8), (all, part) => {
        const [lines, wanted] = [all.split('\n'), part.split('\n')]
        const first = lines.findIndex((_, index) => wanted.every((line, i) => lines[index + i] === line))
        expect(createFinder(wanted)(lines)).toBe(first)
      }),
      { numRuns: 2_000 },
    )
  })

  it('finds every occurrence, also overlapping ones', () => {
    fc.assert(
      fc.property(text(40), text(5), (all, part) => {
        const places = [...all].flatMap((_, index) => (part !== '' && all.startsWith(part, index) ? [index] : []))
        expect(findEach(all, part)).toEqual(places)
      }),
      { numRuns: 2_000 },
    )
  })

  it('reads each character a bounded number of times', () => {
    let reads = 0
    const countReads = (letters: string) =>
      new Proxy(letters.split(''), {
        get(target, key) {
          if (key !== 'length') reads++
          return Reflect.get(target, key)
        },
      })
    expect(createFinder(countReads(`${'a'.repeat(2_000)}b`))(countReads('a'.repeat(8_000)))).toBe(-1)
    expect(findEach(countReads('a'.repeat(8_000)), countReads('a'.repeat(2_000)))).toHaveLength(6_001)
    expect(reads).toBeLessThan(100_000)
  })
})
