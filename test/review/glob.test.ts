import fc from 'fast-check'
import picomatch from 'picomatch'
import { describe, expect, it } from 'vitest'
import { compileGlob } from '../../src/review/glob.js'

const names = ['a', 'b', 'ab', '.a', 'a.ts']
const paths = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/'))
const segment = fc.constantFrom('*', 'a*', '{a,b}', '[ab]', '?', 'a', '*.ts')
const globs = fc
  .tuple(fc.array(fc.oneof(segment, fc.constant('**')), { maxLength: 3 }), segment)
  .map(([parts, last]) => [...parts, last].join('/'))

describe('compileGlob', () => {
  it('matches like picomatch', () => {
    fc.assert(
      fc.property(globs, paths, (glob, path) => {
        expect(compileGlob(glob)?.(path)).toBe(picomatch.isMatch(path, glob, { dot: true }))
      }),
      { numRuns: 1000 },
    )
  })

  it('matches any depth with a final **, also none', () => {
    const isMatch = compileGlob('src/*/**')
    expect(['src/a', 'src/a/b/c', 'src', 'lib/a'].map((path) => isMatch?.(path))).toEqual([true, true, false, false])
  })

  it('matches names with line breaks', () => {
    expect(['src/\n', 'src/\na.ts', 'src/a\nb'].map((path) => compileGlob('src/*')?.(path))).toEqual([true, true, true])
  })

  it('refuses groups, empty segments, too many stars and too great a length', () => {
    for (const glob of ['(a+)+b', 'a//b', '', '/a', 'a/', 'a*b*c*d*e', 'x'.repeat(513)]) {
      expect(compileGlob(glob), glob).toBeUndefined()
    }
  })

  it('ends on names made for backtracking', () => {
    const name = 'a'.repeat(200)
    expect(compileGlob('*a*a*a/*a*a*a/*a*a*b')?.(`${name}/${name}/${name}`)).toBe(false)
    expect(compileGlob('**/a/**/a/**/a/**/b')?.(`${'a/'.repeat(2000)}a`)).toBe(false)
  })
})
