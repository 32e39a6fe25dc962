import { describe, expect, it } from 'vitest'
import { definitelyDiffers } from '../../src/change-class/definitely-differs.js'
import { PAIRS } from './pairs/index.js'

const DATA = /\.(?:json|ya?ml)$/

describe('definitelyDiffers', () => {
  it('is true of no labelled refactoring, in both directions', () => {
    const wrong = PAIRS.filter(({ path, label }) => label === 'refactor' && !DATA.test(path)).filter(
      ({ before, after }) => definitelyDiffers(before, after) || definitelyDiffers(after, before),
    )
    expect(wrong.map(({ path, why }) => `${path}: ${why}`)).toEqual([])
  })

  it.each([
    ['an added line', 'a()\nb()\n', 'a()\nc(d)\nb()\n'],
    ['another number', 'f(1)\n', 'f(2)\n'],
    ['another operator', 'a + b\n', 'a == b\n'],
    ['a removed line', 'a()\nb()\nc()\n', 'a()\nc()\n'],
    ['the whole file', 'a\n', ''],
  ])('is true of %s', (_, before, after) => {
    expect(definitelyDiffers(before, after)).toBe(true)
    expect(definitelyDiffers(after, before)).toBe(true)
  })

  it.each([
    ['nothing', 'a()\n', 'a()\n'],
    ['a comment', 'a()\n', 'a() // why it is so\n'],
    ['a comment of several lines', 'a()\n', '/* why\n it is\n so */\na()\n'],
    ['another name', 'f(a)\n', 'f(b)\n'],
    ['lines that begin alike', 'ab(1)\n', 'abc(1)\n'],
    ['lines that end alike', 'ab\nx\n', 'cb\nx\n'],
    ['an empty line at the beginning', '\na b()\n', 'a b()\n'],
    ['another order', 'a()\nb()\n', 'b()\na()\n'],
  ])('is false for %s', (_, before, after) => {
    expect(definitelyDiffers(before, after)).toBe(false)
    expect(definitelyDiffers(after, before)).toBe(false)
  })
})
