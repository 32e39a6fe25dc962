import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { oneLine, printable, shownParts } from '../../src/core/printable.js'

describe('what would not be seen', () => {
  it('is named, and kept apart from a text that says the same', () => {
    expect(shownParts('a\u202eb<U+202E>')).toEqual([
      { text: 'a', hidden: false },
      { text: '<U+202E>', hidden: true },
      { text: 'b<U+202E>', hidden: false },
    ])
    expect(oneLine('a\tb\n\u{e0041}')).toBe('a^Ib^J<U+E0041>')
    expect(shownParts('')).toEqual([])
  })

  it('is the same in parts as in one', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(
          shownParts(text)
            .map((part) => part.text)
            .join(''),
        ).toBe(printable(text))
      }),
    )
  })
})
