import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { paint } from '../../../src/cli/review/paint.js'
import { fitLine, type Line, NARROW, wrap, wrapWords } from '../../../src/cli/review/text.js'
import { widthOf } from './sets.js'

const plain = (line: Line) => line.map(({ text }) => text).join('')
const utf8 = (width: number) => ({ width, charset: 'utf-8' as const })

it('gives each narrow character the width that string-width gives it', () => {
  const codes = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code)).filter((each) =>
    NARROW.test(each),
  )
  expect(codes.length).toBeGreaterThan(1_000)
  expect(codes.filter((each) => stringWidth(each) !== 1)).toEqual([])
})

describe('a line of a screen', () => {
  it('is filled, or truncated with a mark', () => {
    expect(plain(fitLine([{ text: 'abc', style: 'plain' }], utf8(5)))).toBe('abc  ')
    expect(plain(fitLine([{ text: 'abcdef', style: 'plain' }], utf8(5)))).toBe('abcd…')
    expect(plain(fitLine([{ text: 'ab漢字', style: 'plain' }], utf8(5)))).toBe('ab漢…')
    expect(plain(fitLine([{ text: 'abc漢字', style: 'plain' }], utf8(5)))).toBe('abc… ')
  })

  it('names characters that are invisible, combine, or cannot be shown', () => {
    const text = '\x1b[2J\u202e\u0000\r\n\u200b'
    expect(plain(wrap([{ text, style: 'plain' }], utf8(80))[0] ?? [])).toBe('^[[2J<U+202E>^@^M^J<U+200B>')
    expect(plain(wrap([{ text: 'é漢', style: 'plain' }], { width: 80, charset: 'ascii' })[0] ?? [])).toBe(
      '<U+00E9><U+6F22>',
    )
    expect(plain(wrap([{ text: `a${'\u0301'.repeat(30)}`, style: 'plain' }], utf8(400))[0] ?? [])).toMatch(
      /^a(<U\+0301>){30}$/,
    )
  })

  it('expands tabs to the next multiple of 8 columns', () => {
    expect(wrap([{ text: 'a\tb\t\tc', style: 'plain' }], { ...utf8(80), tabs: true }).map(plain)).toEqual([
      `a       b${' '.repeat(15)}c`,
    ])
  })

  it('is never wider than its limit and loses nothing, for any content', () => {
    const span = fc.record({
      text: fc.string({ unit: 'grapheme', maxLength: 40 }),
      style: fc.constant('plain' as const),
    })
    fc.assert(
      fc.property(
        fc.array(span, { maxLength: 4 }),
        fc.integer({ min: 2, max: 40 }),
        fc.boolean(),
        (spans, width, tabs) => {
          const shape = { ...utf8(width), tabs }
          const lines = wrap(spans, shape)
          for (const line of lines) expect(stringWidth(plain(line))).toBeLessThanOrEqual(width)
          expect(lines.map(plain).join('')).toBe(plain(wrap(spans, { ...shape, width: 100_000 })[0] ?? []))
          expect(widthOf(fitLine(spans, shape))).toBe(width)
        },
      ),
      { numRuns: 200 },
    )
  })

  it('breaks at a space, and cuts only a word that is longer than the line', () => {
    const wrap = (text: string, width: number) => wrapWords([{ text, style: 'plain' }], utf8(width)).map(plain)
    expect(wrap('one deletion and more', 10)).toEqual(['one', 'deletion', 'and more'])
    expect(wrap('one two', 3)).toEqual(['one', 'two'])
    expect(wrap('a 0123456789ab c', 6)).toEqual(['a', '012345', '6789ab', 'c'])
    expect(wrap('one  two', 3)).toEqual(['one', 'two'])
    expect(wrap('', 6)).toEqual([''])
  })

  it('is painted with colours, or with other attributes only', () => {
    const line: Line = [
      { text: 'a', style: 'plain' },
      { text: 'b', style: 'addWord' },
      { text: 'c', style: 'add' },
    ]
    expect(paint(line, true)).toBe('a\x1b[7;32mb\x1b[m\x1b[32mc\x1b[m')
    expect(paint(line, false)).toBe('a\x1b[7mb\x1b[mc')
  })
})
