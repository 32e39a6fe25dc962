import { describe, expect, it } from 'vitest'
import { blockOf, keepBlockEnds } from '../../src/trace/block-ends.js'
import { layoutOrigins } from '../../src/trace/layout-lines.js'

const FIRST = ['function first() {', '  one()', '}', '']
const originsAfterKeep = (before: readonly string[], after: readonly string[], found = layoutOrigins(before, after)) =>
  keepBlockEnds(before, after, found).map((from) => from[0])

describe('the end of a block', () => {
  it('keeps its old line while a line of its block is the same', () => {
    expect(originsAfterKeep(FIRST, ['function renamed() {', '  one()', '}', ''])).toEqual([undefined, 1, 2, 3])
    expect(originsAfterKeep(FIRST, ['function first() {', '  other()', '}', ''])).toEqual([0, undefined, 2, 3])
  })

  it('has no old line if the block is a different one', () => {
    expect(originsAfterKeep(FIRST, ['function second() {', '  two()', '}', ''])).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ])
    const both = [...FIRST, 'function second() {', '  two()', '}', '']
    const taken = [[0], [1], [], [], [], [], [2], [3]]
    expect(originsAfterKeep(FIRST, both, taken)).toEqual([0, 1, ...Array(6).fill(undefined)])
  })

  it('does not match lines that end no block', () => {
    expect(originsAfterKeep(['a', '', 'b'], ['new', '', 'more'])).toEqual([undefined, 1, undefined])
  })

  it('keeps the old line of a statement that a formatter broke', () => {
    const before = ['f() {', '  one()', "  const a = call('first', second)", '}']
    const after = ['f() {', '\tone();', '\tconst a = call(', '\t\t"first",', '\t\tsecond,', '\t);', '}']
    expect(originsAfterKeep(before, after)).toEqual([0, 1, 2, 2, 2, 2, 3])
  })

  it('belongs to the nearest line above with no more indentation', () => {
    const lines = ['if (a) {', '  call(', '    one,', '  );', '}', '', 'end']
    expect(lines.map((_, index) => blockOf(lines, index))).toEqual([
      undefined,
      undefined,
      undefined,
      1,
      0,
      0,
      undefined,
    ])
    expect(blockOf(['}'], 0)).toBe(0)
  })
})
