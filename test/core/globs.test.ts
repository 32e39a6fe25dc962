import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expandBraces, globProblem } from '../../src/core/globs.js'

describe('globs', () => {
  it.each([
    ['', /empty/],
    ['!', /empty/],
    ['./', /empty/],
    ['/etc/**', /absolute/],
    ['C:/x', /absolute/],
    ['src\\a.ts', /backslash/],
    ['../x', /\.\. segments/],
    ['src/../x', /\.\. segments/],
    ['src/{a,..}/x', /\.\. segments/],
    ['src//a', /empty, \./],
    ['src/./a', /empty, \./],
    ['a'.repeat(513), /512/],
    ['(a+)+b', /parentheses/],
    ['(a|b)', /parentheses/],
    ['+(a)', /parentheses/],
    ['!(a)', undefined],
    ['@(a)/b', /parentheses/],
    ['a*(b)', /parentheses/],
    ['!!a', /more than one !/],
    ['*a*a*a*a*', /more than 4 \*/],
    ['**/**/**/**/**/a', /more than 4 \*\*/],
    ['{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}', /64/],
    [`${'{a,b}'.repeat(22)}`, /64/],
    ['{a,b', /not closed/],
    ['{1..9}', /range/],
    ['[[:alpha:]]', /character classes/],
    ['a\u0000b', /control/],
    ['a\nb', /control/],
  ])('%j is refused', (glob, problem) => {
    if (problem) expect(globProblem(glob)).toMatch(problem)
    else expect(globProblem(glob)).toBeUndefined()
  })

  it.each([
    'src/**',
    'src/',
    './src',
    '!src/x',
    'src/[id].tsx',
    'app/(shop)/x',
    '{a,b}/**',
    '**/*.test.*',
    '.env',
    '...',
  ])('accepts %s', (glob) => expect(globProblem(glob)).toBeUndefined())

  it('returns for any text without throwing, and quickly', () => {
    const nasty = fc.stringMatching(/^[a*?{},()[\]!./|+@]{0,120}$/)
    fc.assert(
      fc.property(fc.oneof(nasty, fc.string({ unit: 'binary' })), (glob) => void globProblem(glob)),
      {
        numRuns: 2000,
      },
    )
  })
})

describe('braces', () => {
  it.each([
    ['a', ['a']],
    ['a{b,c}d', ['abd', 'acd']],
    ['{a,b}{c,d}', ['ac', 'ad', 'bc', 'bd']],
    ['{a,{b,c}d}', ['a', 'bd', 'cd']],
    ['x{,y}', ['x', 'xy']],
    ['{a}', ['{a}']],
    ['{a{b,c}}', ['{ab}', '{ac}']],
    ['a}', ['a}']],
  ])('%s', (glob, expected) => {
    expect(expandBraces(glob)?.sort()).toEqual(expected)
  })

  it('expand to at most 64 globs', () => {
    expect(expandBraces('{a,b}'.repeat(6))).toHaveLength(64)
    expect(expandBraces('{a,b}'.repeat(7))).toBeUndefined()
  })
})
