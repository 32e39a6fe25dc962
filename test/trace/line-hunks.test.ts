import fc from 'fast-check'
import { expect, it } from 'vitest'
import { lineHunks } from '../../src/trace/line-hunks.js'

const lines = fc.array(fc.constantFrom('a', ' a', 'a ', 'b', '\tb', 'c', ''), { maxLength: 12 })
const bare = (line: string) => line.trim()

it('finds by a key what it finds in the keys themselves', () => {
  fc.assert(
    fc.property(lines, lines, fc.boolean(), (old, now, search) => {
      expect(lineHunks(old, now, search, bare)).toEqual(lineHunks(old.map(bare), now.map(bare), search))
    }),
  )
})
