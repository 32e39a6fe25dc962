import fc from 'fast-check'
import { expect, it } from 'vitest'
import { commonEnds, commonLines } from '../../src/core/common-lines.js'

const lines = fc.array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n'), { maxLength: 12 })

/** The length of a longest common subsequence, by the textbook table. */
function lcsLength(before: readonly string[], after: readonly string[]): number {
  let row = Array<number>(after.length + 1).fill(0)
  for (const line of before) {
    const next = [0]
    after.forEach((other, index) => {
      next.push(line === other ? (row[index] ?? 0) + 1 : Math.max(row[index + 1] ?? 0, next[index] ?? 0))
    })
    row = next
  }
  return row.at(-1) ?? 0
}

it('finds a longest common subsequence, in order', () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const pairs = commonLines(before, after, 1_000) ?? []
      expect(pairs).toHaveLength(lcsLength(before, after))
      for (const [o, n] of pairs) expect(before[o]).toBe(after[n])
      pairs.slice(1).forEach(([o, n], index) => {
        expect(o).toBeGreaterThan(pairs[index]?.[0] ?? -1)
        expect(n).toBeGreaterThan(pairs[index]?.[1] ?? -1)
      })
    }),
  )
})

it('counts no line in both the head and the tail', () => {
  expect(commonEnds(['a', 'a'], ['a', 'a', 'a'])).toEqual({ head: 2, tail: 0 })
  expect(commonEnds(['a', 'x', 'b'], ['a', 'y', 'b'])).toEqual({ head: 1, tail: 1 })
  expect(commonEnds([], ['a'])).toEqual({ head: 0, tail: 0 })
})

it('returns undefined if the search would take more edits than its limit', () => {
  expect(commonLines(['a', 'b', 'c'], ['c', 'b', 'a'], 1)).toBeUndefined()
})
