import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Hunk } from '../../src/index.js'
import { printable } from '../../src/surface/index.js'
import { pieces, rowsOf } from '../../src/web/lines.js'
import type { DiffLine, Piece } from '../../src/web/wire.js'

const textOf = (found: readonly Piece[]) =>
  found.map((piece) => (typeof piece === 'string' ? piece : piece[0])).join('')
const none = { before: undefined, after: undefined }

function hunk(lines: readonly string[]): Hunk {
  const text = `@@ -1,9 +1,9 @@\n${lines.map((line) => `${line}\n`).join('')}`
  return { id: 'h_1', oldStart: 1, oldLines: 9, newStart: 1, newLines: 9, text, state: 'pending' }
}

describe('a line in pieces', () => {
  it("keeps the line's text, with any colours and marks", () => {
    const cuts = fc.array(fc.nat(30), { maxLength: 6 }).map((all) => [...new Set(all)].sort((a, b) => a - b))
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), cuts, cuts, (text, colours, offsets) => {
        const line = text.replaceAll('\n', '')
        const edges = [0, ...colours.filter((at) => at < line.length), line.length]
        const tokens = edges.slice(1).map((to, index) => ({ text: line.slice(edges[index], to), kind: 'keyword' }))
        const spans = offsets
          .slice(1)
          .flatMap((to, index) => (index % 2 === 0 ? [{ from: (offsets[index] ?? 0) + 1, to: to + 1 }] : []))
        expect(textOf(pieces(line, tokens, spans))).toBe(printable(line))
        const marked = spans.map(({ from, to }) => line.slice(from - 1, to - 1)).join('')
        const found = pieces(line, tokens, spans).filter((piece) => typeof piece !== 'string' && piece[2] === 1)
        expect(textOf(found)).toBe(printable(marked))
      }),
    )
  })

  it('ignores colours of another text, and truncates a very long line', () => {
    expect(pieces('abc', [{ text: 'abd', kind: 'keyword' }], [])).toEqual(['abc'])
    expect(pieces('abc', [{ text: 'abc', kind: 'keyword' }], [])).toEqual([['abc', 'keyword']])
    const long = pieces('x'.repeat(5_000), undefined, [])
    expect(long.at(-1)).toEqual([' … 3000 more characters', 'hidden'])
  })
})

describe('rows', () => {
  it('have the same lines in both layouts, removed next to added', () => {
    const { rows, at } = rowsOf([hunk([' a', '-b', '-c', '+d', ' e', '+f', '\\ No newline at end of file'])], none)
    expect(at.get('h_1')).toEqual({ unified: 0, split: 0 })
    const numbers = (line: DiffLine | null) => line && [line.t, line.o ?? 0, line.n ?? 0]
    const lines = rows.unified.flatMap((row) => ('t' in row ? [numbers(row)] : []))
    expect(lines).toEqual([
      ['@', 0, 0],
      [' ', 1, 1],
      ['-', 2, 0],
      ['-', 3, 0],
      ['+', 0, 2],
      [' ', 4, 3],
      ['+', 0, 4],
      ['\\', 0, 0],
    ])
    const pairs = rows.split.map((row) => ('t' in row ? numbers(row) : row.map(numbers)))
    expect(pairs).toEqual([
      ['@', 0, 0],
      [
        [' ', 1, 1],
        [' ', 1, 1],
      ],
      [
        ['-', 2, 0],
        ['+', 0, 2],
      ],
      [['-', 3, 0], null],
      [
        [' ', 4, 3],
        [' ', 4, 3],
      ],
      [null, ['+', 0, 4]],
      [null, ['\\', 0, 0]],
    ])
  })
})
