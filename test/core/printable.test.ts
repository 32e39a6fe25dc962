import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { oneLine, printable, printableParts } from '../../src/core/printable.js'

describe('hidden characters', () => {
  it('are named, and differ from a text with the same name', () => {
    expect(printableParts('a\u202eb<U+202E>')).toEqual([
      { text: 'a', hidden: false },
      { text: '<U+202E>', hidden: true },
      { text: 'b<U+202E>', hidden: false },
    ])
    expect(oneLine('a\tb\n\u{e0041}')).toBe('a^Ib^J<U+E0041>')
    expect(printableParts('')).toEqual([])
  })

  it('are named the same in parts as in the whole text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(
          printableParts(text)
            .map((part) => part.text)
            .join(''),
        ).toBe(printable(text))
      }),
    )
  })
})

describe('characters that encode an invisible text', () => {
  it.each([
    ['variation selectors', 'eval(d`\u{fe00}\u{fe01}\u{fe0f}\u{e0100}\u{e01ef}`)', 5],
    ['tags', 'a\u{e0001}\u{e0041}b', 2],
    ['joiners, fillers and marks of annotation', 'a\u034f\u17b4\u180b\u180f\ufff9\ufffb\u{1d173}\u2800b', 8],
  ])('%s are each named', (_, text, count) => {
    expect(printable(text).match(/<U\+[0-9A-F]+>/g)).toHaveLength(count)
    expect(printableParts(text).filter(({ hidden }) => hidden)).toHaveLength(count)
  })

  it('a selector that makes a character an emoji is kept once', () => {
    expect(printable('I \u2764\ufe0f it, 1\ufe0f\u20e3')).toBe('I \u2764\ufe0f it, 1\ufe0f\u20e3')
    expect(printable('\u2764\ufe0f\ufe0f')).toBe('\u2764\ufe0f<U+FE0F>')
  })
})

it.each([
  ['no-break and other blanks', 'a\u00a0b\u2003c\u3000d e', 'a<U+00A0>b<U+2003>c<U+3000>d e'],
  ['the selector behind a digit, which shows nothing', 'v1\ufe0f.2', 'v1<U+FE0F>.2'],
  ['an object replacement character', 'a\ufffcb', 'a<U+FFFC>b'],
  ['every format character', 'a\u0600b\u{110bd}c', 'a<U+0600>b<U+110BD>c'],
])('names %s', (_, text, printed) => {
  expect(printable(text)).toBe(printed)
})

it.each(['\u2764\ufe0f', '1\ufe0f\u20e3'])('keeps the selector of an emoji: %s', (text) => {
  expect(printable(text)).toBe(text)
})
