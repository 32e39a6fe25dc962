import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { loadHighlighter } from '../../src/review/highlight.js'

it('splits a file into lines of tokens with their kinds', async () => {
  const highlight = await loadHighlighter()
  const lines = highlight('src/a.ts', '/* one\ntwo */\nconst name = "x"\n')
  expect(lines?.[0]).toEqual([{ text: '/* one', kind: 'comment' }])
  expect(lines?.[1]).toEqual([{ text: 'two */', kind: 'comment' }])
  expect(lines?.[2]).toContainEqual({ text: 'const', kind: 'keyword' })
  expect(lines?.[2]).toContainEqual({ text: '"x"', kind: 'string' })
  expect(lines).toHaveLength(4)
})

it('recognizes files by extension and by name', async () => {
  const highlight = await loadHighlighter()
  for (const path of ['a.js', 'b.mts', 'c.py', 'd/e.RS', 'Makefile', 'x.yaml', 'x.json', 'page.html', 'a.sh'])
    expect(highlight(path, 'x'), path).toBeDefined()
  for (const path of ['LICENSE', 'a.unknown', '.hidden', 'constructor', 'a.constructor', 'a.__proto__'])
    expect(highlight(path, 'x'), path).toBeUndefined()
})

it('skips large files and minified lines', async () => {
  const highlight = await loadHighlighter()
  expect(highlight('a.js', 'a\n'.repeat(70_000))).toBeUndefined()
  expect(highlight('a.js', 'a'.repeat(2_001))).toBeUndefined()
})

it('loses and adds no character', async () => {
  const highlight = await loadHighlighter()
  const piece = fc.constantFrom(
    'const ',
    '`',
    '${',
    '}',
    '"',
    "'",
    '/*',
    '*/',
    '//',
    '\n',
    '<a>',
    '&amp;',
    'é',
    '\t',
    '\\',
    '𝒳',
    '\r',
  )
  fc.assert(
    fc.property(fc.array(piece), fc.constantFrom('a.ts', 'a.html', 'a.py', 'a.sh', 'a.md'), (pieces, path) => {
      const text = pieces.join('')
      const joined = highlight(path, text)?.map((line) => line.map((token) => token.text).join(''))
      expect(joined?.join('\n')).toBe(text)
    }),
  )
})

it('stops on a text that exceeds the time limit, and continues with the next', async () => {
  const highlight = await loadHighlighter()
  const long = `((${'(a)\n'.repeat(30_000)}`
  expect(highlight('a.ts', long, 1)).toBeUndefined()
  expect(highlight('a.ts', 'let a')?.[0]?.[0]).toEqual({ text: 'let', kind: 'keyword' })
})

it('works again after the time limit stopped it while it compiled a grammar', async () => {
  // The first use of a grammar compiles it, so this needs a highlighter that nobody has used.
  vi.resetModules()
  const fresh = await import('../../src/review/highlight.js')
  const highlight = await fresh.loadHighlighter()
  expect(highlight('a.ts', `((${'(a)\n'.repeat(30_000)}`, 1)).toBeUndefined()
  expect(highlight('a.ts', 'let a')?.[0]?.[0]).toEqual({ text: 'let', kind: 'keyword' })
})
