import fc from 'fast-check'
import { expect, it } from 'vitest'
import { languageOf } from '../../src/change-class/languages.js'
import { checkBoth, parse } from '../../src/os/grammars.js'
import { editOf } from '../../src/os/text-edit.js'
import { PAIRS } from '../change-class/pairs/index.js'
import { fuzzParameters } from '../support/fuzz.js'

const PIECES = [
  '(',
  ')',
  '{',
  '}',
  '`',
  '${',
  '"',
  "'",
  '/*',
  '*/',
  '//',
  '\n',
  '  ',
  ';',
  '=',
  '<',
  'x',
  '#',
  '\\',
  'é',
  '𝒳',
  '',
]

const change = fc.record({ at: fc.nat(), length: fc.nat({ max: 30 }), piece: fc.constantFrom(...PIECES) })

function spliceText(text: string, { at, length, piece }: { at: number; length: number; piece: string }): string {
  const start = at % (text.length + 1)
  return text.slice(0, start) + piece + text.slice(start + length)
}

it('gives the same results as parsing both texts in full', async () => {
  const texts = PAIRS.flatMap(({ path, before }) => {
    const grammar = languageOf(path)?.grammar
    return grammar === undefined ? [] : [{ grammar, before }]
  })
  const property = fc.asyncProperty(
    fc.constantFrom(...texts),
    fc.array(change, { minLength: 1, maxLength: 3 }),
    async (from, edits) => {
      const { grammar, before } = from
      const after = edits.reduce(spliceText, before)
      const [old, now] = [await parse(grammar, before), await parse(grammar, after)]
      const found = await checkBoth(grammar, before, after)
      if (!old.ok) expect(found).toEqual({ ...old, side: 'before' })
      else if (!now.ok && now.rule !== 'grammar') expect(found).toEqual({ ...now, side: 'after' })
      else expect(found).toEqual({ ok: true })
    },
  )
  await fc.assert(property, fuzzParameters(400))
})

it('reports that an unknown grammar cannot be loaded', async () => {
  expect(await checkBoth('no-such', 'a', 'b')).toMatchObject({ ok: false, rule: 'grammar' })
})

it('leaves out the common start and end of an edit, and counts lines', () => {
  expect(editOf('one\ntwo\nthree\n', 'one\ntwice\nthree\n')).toEqual({
    startIndex: 6,
    oldEndIndex: 7,
    newEndIndex: 9,
    startPosition: { row: 1, column: 2 },
    oldEndPosition: { row: 1, column: 3 },
    newEndPosition: { row: 1, column: 5 },
  })
  const text = fc.string({ unit: fc.constantFrom('a', '\n', 'é') })
  fc.assert(
    fc.property(text, text, (before, after) => {
      const { startIndex, oldEndIndex, newEndIndex, oldEndPosition } = editOf(before, after)
      expect(before.slice(0, startIndex) + after.slice(startIndex, newEndIndex) + before.slice(oldEndIndex)).toBe(after)
      const lines = before.slice(0, oldEndIndex).split('\n')
      expect(oldEndPosition).toEqual({ row: lines.length - 1, column: lines.at(-1)?.length })
    }),
  )
})

it.each([
  [
    'brackets that would overwrite the memory of the parser',
    'typescript',
    '{a: '.repeat(15_000),
    'more than 1000 open brackets',
  ],
  ['quotes that would take the parser minutes', 'typescript', '"'.repeat(120_000), 'parsing takes too many steps'],
  [
    'here-documents that would take the parser minutes',
    'bash',
    'a <<A '.repeat(28_000),
    'more than 1000 here-documents',
  ],
])('stops at %s, and parses the next text', async (_what, grammar, text, detail) => {
  expect(await parse(grammar, text)).toEqual({ ok: false, rule: 'size', detail })
  expect(await parse('typescript', 'f([{ a: (1) }])')).toMatchObject({ ok: true })
})
