import { diffArrays } from 'diff'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { lineHunks, originsBy, splitAtBrackets } from '../../src/trace/line-hunks.js'

const lines = fc.array(fc.constantFrom('a', ' a', 'a ', 'b', '\tb', 'c', ''), { maxLength: 12 })
const trimLine = (line: string) => line.trim()

it('lines compared by a key have the same hunks as their keys', () => {
  fc.assert(
    fc.property(lines, lines, fc.boolean(), (before, after, search) => {
      expect(lineHunks(before, after, search, trimLine)).toEqual(
        lineHunks(before.map(trimLine), after.map(trimLine), search),
      )
    }),
  )
})

it('as many lines are kept as in a search over all lines', () => {
  const many = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { maxLength: 40 })
  const countUnchanged = (before: string[], after: string[]) =>
    diffArrays(before, after).reduce((sum, { added, removed, count }) => sum + (added || removed ? 0 : count), 0)
  fc.assert(
    fc.property(many, many, (before, after) => {
      const hunks = lineHunks(before, after)
      const origins = originsBy(hunks, before.length)
      expect(origins).toHaveLength(after.length)
      expect(origins.map((at, line) => (at === -1 ? after[line] : before[at]))).toEqual(after)
      expect(origins.filter((at) => at !== -1)).toHaveLength(countUnchanged(before, after))
      expect(origins.filter((at) => at !== -1)).toEqual(
        [...new Set(origins)].filter((at) => at !== -1).sort((a, b) => a - b),
      )
    }),
  )
})

it('a file in which every line differs is one hunk', () => {
  const lines = (word: string) => Array.from({ length: 30_000 }, (_, index) => `${word} ${index}`)
  expect(lineHunks(lines('old'), lines('new'))).toEqual([{ at: 0, removed: 30_000, added: 30_000 }])
})

it('a new function has its own bracket, and the one above it keeps the old one', () => {
  const before = ['f {', '1', '}', '']
  expect(lineHunks(before, ['f {', '0', '1', '}', '', 'g {', '3', '}', ''])).toEqual([
    { at: 1, removed: 0, added: 1 },
    { at: 4, removed: 0, added: 4 },
  ])
})

it('new lines before a bracket are split from a new function behind it, and an inner bracket is not', () => {
  const split = (before: string[], after: string[]) => splitAtBrackets(lineHunks(before, after), before, after)
  expect(split(['f {', '1', '}', ''], ['f {', '2', '}', '', 'g {', '3', '}', ''])).toEqual([
    { at: 1, removed: 1, added: 1 },
    { at: 4, removed: 0, added: 4 },
  ])
  expect(split(['f {', '}'], ['f {', '  if {', '  }', '}'])).toEqual([{ at: 1, removed: 0, added: 2 }])
})
