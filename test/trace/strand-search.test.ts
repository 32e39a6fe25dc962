import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { StrandSearch } from '../../src/trace/strand-search.js'
import { UNKNOWN } from '../../src/trace/traced-files.js'

const ASKED = ['a', 'b', '', 'd']
const prints = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 })
const strand = prints.map((all) => all.map((print) => ({ print, origin: UNKNOWN })))

describe('a search of strands', () => {
  it('finds the places of a line, however often a strand is searched', () => {
    const searches = fc.array(fc.tuple(fc.nat(), fc.constantFrom(...ASKED)), { maxLength: 30 })
    fc.assert(
      fc.property(fc.array(strand, { minLength: 1, maxLength: 4 }), searches, (strands, all) => {
        const search = new StrandSearch(new Set(ASKED))
        for (const [n, print] of all) {
          const cells = strands[n % strands.length] ?? []
          const expected = cells.flatMap((cell, at) => (cell.print === print ? [at] : []))
          expect(search.places(cells, print)).toEqual(expected)
        }
      }),
    )
  })

  it('finds them when more lines have an index than may have one', () => {
    const search = new StrandSearch()
    const strands = Array.from({ length: 7 }, (_, n) =>
      Array.from({ length: 200_000 }, (_, line) => ({ print: `${line % (n + 2)}`, origin: UNKNOWN })),
    )
    for (const round of [1, 2, 3]) {
      for (const [n, cells] of strands.entries()) {
        const places = search.places(cells, '1')
        expect([round, places[0], places[1], places.length]).toEqual([round, 1, n + 3, Math.ceil(199_999 / (n + 2))])
      }
    }
  })
})
