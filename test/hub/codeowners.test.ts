import { describe, expect, it } from 'vitest'
import { parseCodeowners } from '../../src/hub/codeowners.js'

describe('a line of CODEOWNERS', () => {
  it.each([
    ['*', 'a.js', true],
    ['*', 'a/b/.c', true],
    ['*.js', 'a.js', true],
    ['*.js', 'src/deep/a.js', true],
    ['*.js', 'a.jsx', false],
    ['/build/logs/', 'build/logs/a/b', true],
    ['/build/logs/', 'src/build/logs/a', false],
    ['/build/logs/', 'build/logs', false],
    ['docs/*', 'docs/a.md', true],
    ['docs/*', 'docs/build/a.md', false],
    ['docs/*', 'src/docs/a.md', false],
    ['apps/', 'apps/a', true],
    ['apps/', 'src/apps/a/b', true],
    ['apps/', 'src/apps', false],
    ['/docs/', 'docs/a', true],
    ['/docs', 'docs', true],
    ['/docs', 'docs/a', true],
    ['/docs', 'docsx', false],
    ['/*', 'a', true],
    ['/*', 'a/b', false],
    ['src/a', 'src/a', true],
    ['src/a', 'src/a/b', true],
    ['src/a', 'lib/src/a', false],
    ['**/logs', 'logs/a', true],
    ['**/logs', 'deep/build/logs', true],
    ['docs/**', 'docs/a/b', true],
    ['docs/**', 'docs', false],
    ['**', 'a/b', true],
    ['/**', 'a/b', true],
    ['a/**/b', 'a/b', true],
    ['a/**/b', 'a/x/y/b', true],
    ['a?c', 'abc', true],
    ['a?c', 'a/c', false],
    ['with\\ space/', 'with space/a', true],
    ['$x^+@', '$x^+@', true],
    ['Docs/', 'docs/a', false],
    ['*.js', 'a\nb.js', true],
    ['/src/', 'src/a\nb', true],
    ['/src/', 'src/\n', true],
  ])('%j covers %j: %s', (pattern, path, does) => {
    expect(parseCodeowners(`${pattern} @ada`).ownersOf(path)).toEqual(does ? ['@ada'] : [])
  })

  it.each(['!a', '[ab].js', 'a{b,c}', 'a|b', '(a)', '"a"', 'a\\#b', 'a//b', '/', '*a*b*c*d*'])(
    'with the pattern %j is refused',
    (pattern) => {
      expect(() => parseCodeowners(`ok @ada\n${pattern} @ada`)).toThrow(/Line 2 .*not supported/)
    },
  )

  it.each(['ada', '@', '@a/b/c', 'a@', '@ada,@bo'])('with the owner %j is refused', (owner) => {
    expect(() => parseCodeowners(`a ${owner}`)).toThrow(/Line 1 .*not an owner/)
  })
})

it('the last matching line applies, also one without owners', () => {
  const { ownersOf } = parseCodeowners(
    ['# All', '* @all', '', '/src/ @org/src a@b.example # Ours', '/src/free/', '  /src/free/x\t@ada\r'].join('\n'),
  )
  expect(ownersOf('a')).toEqual(['@all'])
  expect(ownersOf('src/a')).toEqual(['@org/src', 'a@b.example'])
  expect(ownersOf('src/free/a')).toEqual([])
  expect(ownersOf('src/free/x')).toEqual(['@ada'])
})

it('an empty file owns nothing, and a too large one is refused', () => {
  expect(parseCodeowners('').ownersOf('a')).toEqual([])
  expect(() => parseCodeowners('#'.repeat(256 * 1024 + 1))).toThrow(/at most/)
  expect(() => parseCodeowners('\n'.repeat(2_000))).toThrow(/at most/)
})
