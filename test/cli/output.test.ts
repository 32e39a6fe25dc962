import fc from 'fast-check'
import { expect, it } from 'vitest'
import { json, table } from '../../src/cli/output.js'

it('a table aligns its columns for any cell content', () => {
  expect(table([['a', 'bb', ''], ['ccc', 'd', 'e'], ['f']], '  ')).toBe('  a    bb\n  ccc  d   e\n  f\n')
  expect(table([['a\nb', 'c']])).toBe('a^Jb  c\n')
  expect(table([])).toBe('')
})

it('a table has no limit on rows', () => {
  const rows = Array.from({ length: 300_000 }, (_, row) => [`${row}`, 'x'])
  const lines = table(rows).split('\n')
  expect([lines.length, lines[0], lines.at(-2)]).toEqual([300_001, '0       x', '299999  x'])
})

it('a JSON document keeps its value, and has no control or invisible character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const output = json({ [text]: [text] })
      expect(output.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u)
      expect(JSON.parse(output)).toEqual(JSON.parse(JSON.stringify({ [text]: [text] })))
    }),
    { examples: [['\u009b2J\u007f\u202e\u2028\u{e0041}']] },
  )
})
