import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sharedPath } from '../../src/policy/overlap.js'
import { compileScope } from '../../src/policy/scope.js'

describe('two scopes', () => {
  it.each([
    [['src/**'], ['src/auth/**'], true],
    [['src/**', '!src/auth/**'], ['src/auth/**'], false],
    [['src/**', '!src/auth'], ['src/auth/**'], true],
    [['src/*.ts'], ['src/*.js'], false],
    [['src/*.ts'], ['**/index.*'], true],
    [['src/a*'], ['src/*b'], true],
    [['src/a*'], ['src/b*'], false],
    [['src/[a-c]x'], ['src/[c-d]x'], true],
    [['src/[ab]x'], ['src/[cd]x'], false],
    [['src/[!a]x'], ['src/?x'], true],
    [['src/[id].tsx'], ['src/[id].tsx'], true],
    [['lib/{a,b}/**'], ['lib/b/x.ts'], true],
    [['lib/{a,b}/**'], ['lib/c/**'], false],
    [['**/*.test.ts'], ['src/**'], true],
    [['docs'], ['docs/**'], true],
    [['docs/a'], ['docs'], false],
    [['é*'], ['é1'], true],
    [[], ['**'], false],
  ])('%j and %j: %s', (a, b, expected) => {
    expect(sharedPath(a, b) !== undefined).toBe(expected)
    expect(sharedPath(b, a) !== undefined).toBe(expected)
  })

  it('share the reported path, and one is found if there is one', () => {
    const segments = ['a', 'b', 'ab', 'ba']
    const paths = segments.flatMap((one) => [
      one,
      ...segments.flatMap((two) => [`${one}/${two}`, ...segments.map((three) => `${one}/${two}/${three}`)]),
    ])
    const part = fc.constantFrom('a', 'b', '*', '**', 'a*', '*b', '?', '[a]', '[!a]', 'ab', '{a,ab}')
    const body = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'))
    const glob = fc.tuple(fc.constantFrom('', '', '', '!'), body).map(([sign, text]) => sign + text)
    const scope = fc.array(glob, { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(scope, scope, (a, b) => {
        const [one, other] = [compileScope(a), compileScope(b)]
        const found = sharedPath(a, b)
        if (found !== undefined) expect([one.matches(found), other.matches(found)]).toEqual([true, true])
        // The paths that a `!` leaves can be a single name: such an overlap may be missed.
        const isPlain = [...a, ...b].every((each) => !each.startsWith('!'))
        if (isPlain && paths.some((path) => one.matches(path) && other.matches(path))) expect(found).toBeDefined()
      }),
      { numRuns: 2_000 },
    )
  })

  it('are compared in bounded time, whatever their globs', () => {
    const many = Array.from({ length: 200 }, (_, n) => `**/a*b*c*${n}/**/*x*y*z*`)
    expect(sharedPath(many, ['**/q/**', '!**'])).toBeUndefined()
  })
})
