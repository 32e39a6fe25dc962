import fc from 'fast-check'
import picomatch from 'picomatch'
import { describe, expect, it } from 'vitest'
import { compileScope } from '../../src/policy/scope.js'

const takes = (globs: string[], path: string) => compileScope(globs).matches(path)

describe('the paths that match a scope', () => {
  it.each([
    [['src/**'], 'src/a/b.ts', true],
    [['src/**'], 'src', true],
    [['src/**'], 'srcs/a.ts', false],
    [['src/**'], 'lib/src/a.ts', false],
    [['src/**'], 'src/.env', true],
    [['src/'], 'src/a/b.ts', true],
    [['src/'], 'srcs', false],
    [['src'], 'src', true],
    [['src'], 'src/a.ts', false],
    [['./src/*.ts'], 'src/a.ts', true],
    [['src/*.ts'], 'src/a/b.ts', false],
    [['src/*/**'], 'src/index.ts', false],
    [['src/*/**'], 'src/a/index.ts', true],
    [['src/*/b.ts'], 'src/a/b.ts', true],
    [['src/**/b.ts'], 'src/b.ts', true],
    [['src/**/b.ts'], 'src/x/y/b.ts', true],
    [['**/b.ts'], 'b.ts', true],
    [['src/{a,b}/*.{ts,tsx}'], 'src/b/x.tsx', true],
    [['src/{a,b}/*.{ts,tsx}'], 'src/c/x.tsx', false],
    [['src{,/deep/**}'], 'src/deep/x', true],
    [['a?c.ts'], 'abc.ts', true],
    [['a?c.ts'], 'a/c.ts', false],
    [['v[0-9].ts'], 'v7.ts', true],
    [['v[!0-9].ts'], 'v7.ts', false],
    [['src/[!]/x'], 'src/a/x', false],
    [['app/[id].tsx'], 'app/[id].tsx', true],
    [['app/[id]/**'], 'app/[id]/page.tsx', true],
    [['app/(shop)/**'], 'app/(shop)/page.tsx', true],
    [['src/**', '!src/secret/**'], 'src/secret/key', false],
    [['!src/secret/**'], 'src/other', false],
    [['!src/secret/**', 'src/**'], 'src/secret/key', false],
    [['src/**', '!src/[id].ts'], 'src/[id].ts', false],
    [['**'], '', false],
    [['src/**'], 'SRC/a.ts', false],
    [[], 'anything', false],
  ])('%j on %s: %s', (globs, path, expected) => {
    expect(takes(globs, path)).toBe(expected)
  })

  it('refuses a glob that the registry would refuse', () => {
    expect(() => compileScope(['(a+)+b'])).toThrow(/cannot be used/)
  })
})

describe('leading directories and literal names', () => {
  it('include each directory that could contain a path in scope', () => {
    const scope = compileScope(['src/a/**', 'lib/x/y.ts', 'pkg/*/src/**', 'doc/**/*.md', '!doc/no/**'])
    const leading = ['src', 'src/a', 'src/a/b', 'lib', 'lib/x', 'pkg', 'pkg/core', 'pkg/core/src', 'doc', 'doc/p/q']
    for (const directory of leading) expect([directory, scope.leadsTo(directory)]).toEqual([directory, true])
    const others = ['', 'srcs', 'src/b', 'lib/x/y.ts', 'lib/z', 'pkg/core/test', 'doc/no', 'doc/no/x']
    for (const directory of others) expect([directory, scope.leadsTo(directory)]).toEqual([directory, false])
  })

  it('distinguish a literal name from one that a wildcard matches', () => {
    expect(compileScope(['**']).names('.vscode/settings.json', ['.vscode'])).toBe(false)
    expect(compileScope(['.vs*/**']).names('.vscode/settings.json', ['.vscode'])).toBe(false)
    expect(compileScope(['.vscode/*.json']).names('.vscode/settings.json', ['.vscode'])).toBe(true)
    expect(compileScope(['.vscode/*.json']).names('.vscode/other', ['.vscode'])).toBe(false)
    expect(compileScope(['.vscode/tasks.json', '**']).names('.vscode/settings.json', ['.vscode'])).toBe(false)
    expect(compileScope(['.vscode/**', '!.vscode/settings.json']).names('.vscode/settings.json', ['.vscode'])).toBe(
      false,
    )
    expect(compileScope(['**/AGENTS.md']).names('pkg/AGENTS.md', ['AGENTS.md'])).toBe(true)
  })
})

/** Slow and simple: tries every split. Supports `**`, `*`, `?` and literal characters. */
function naive(glob: string[], path: string[]): boolean {
  const [g, ...rest] = glob
  if (g === undefined) return path.length === 0
  if (g === '**') return path.some((_, i) => naive(rest, path.slice(i))) || naive(rest, [])
  return path[0] !== undefined && naiveSegment([...g], [...path[0]]) && naive(rest, path.slice(1))
}

function naiveSegment(glob: string[], text: string[]): boolean {
  const [g, ...rest] = glob
  if (g === undefined) return text.length === 0
  if (g === '*') return naiveSegment(rest, text) || (text.length > 0 && naiveSegment(glob, text.slice(1)))
  return text.length > 0 && (g === '?' || g === text[0]) && naiveSegment(rest, text.slice(1))
}

const globSegment = fc.oneof(
  { weight: 2, arbitrary: fc.constant('**') },
  { weight: 5, arbitrary: fc.stringMatching(/^[ab.*?]{1,4}$/) },
)
const glob = fc
  .array(globSegment, { minLength: 1, maxLength: 5 })
  .map((segments) => segments.map((each) => (each === '**' ? each : each.replace(/\*+/g, '*'))))
  .filter((segments) => !segments.some((each) => each === '.' || each === '..'))
const path = fc
  .array(fc.stringMatching(/^[ab.]{1,4}$/), { minLength: 1, maxLength: 6 })
  .filter((segments) => !segments.some((each) => each === '.' || each === '..'))
/** A last `**` after a wildcard matches at least one segment. */
const below = (segments: string[]) => {
  const last = segments.findLast((each) => each !== '**')
  return segments.at(-1) === '**' && last !== undefined && /[*?{[]/.test(last) ? [...segments, '*'] : segments
}
const usable = (segments: string[]) => segments.filter((each) => each === '**').length <= 4

describe('on a disk that ignores case', () => {
  it.each([
    ['src/secret/key', false],
    ['src/SECRET/key', false],
    ['src/Secret/Caf\u00e9', false],
    ['src/a.ts', true],
    ['SRC/a.ts', false],
  ])('a scope without src/secret has %s: %s', (path, expected) => {
    const scope = compileScope(['src/**', '!src/Secret/**'], true)
    expect(scope.matches(path)).toBe(expected)
  })

  it('excludes a name in either Unicode form', () => {
    const scope = compileScope(['src/**', '!src/caf\u00e9/**'], true)
    expect(scope.matches('src/cafe\u0301/x')).toBe(false)
    expect(scope.holdsBelow('src')).toBe(false)
  })
})

describe('a directory that is in scope with everything below', () => {
  it.each([
    [['src/**'], 'src', true],
    [['src/**'], 'src/a/b', true],
    [['src/'], 'src/a', true],
    [['**'], 'src', true],
    [['{src,lib}/**'], 'lib/a', true],
    [['src/**'], 'lib', false],
    [['src/**/*.ts'], 'src/a', false],
    [['src/*'], 'src', false],
    [['src'], 'src', false],
    [[], 'src', false],
    [['src/**', '!src/a'], 'src', false],
    [['src/**', '!src/a/x.ts'], 'src/a', false],
    [['src/**', '!src/a/**'], 'src/b', true],
    [['src/**', '!src/*/x.ts'], 'src/b', false],
    [['src/**', '!**/x.ts'], 'src/b', false],
    [['src/**', '!docs/**'], 'src/b', true],
    [['src/**', '!{a,b}/x'], '{a,b}', false],
  ])('%j includes everything below %s: %s', (globs, directory, expected) => {
    expect(compileScope(globs).holdsBelow(directory)).toBe(expected)
  })

  it('has no path below that is out of scope', () => {
    const segment = fc.constantFrom('a', 'b', '[a]', '{a,b}')
    const path = fc.array(segment, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'))
    const part = fc.constantFrom('a', 'b', '*', '**', 'a*', '[a]', '?', '{a,b}')
    const body = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'))
    const glob = fc.tuple(fc.constantFrom('', '', '!'), body).map(([sign, text]) => sign + text)
    fc.assert(
      fc.property(fc.array(glob, { maxLength: 4 }), path, path, (globs, directory, below) => {
        const scope = compileScope(globs)
        fc.pre(scope.holdsBelow(directory))
        expect(scope.matches(`${directory}/${below}`)).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('a scope compared with other matchers', () => {
  it('agrees with a matcher that tries every split', () => {
    fc.assert(
      fc.property(fc.array(glob.filter(usable), { maxLength: 6 }), glob.filter(usable), path, (yes, no, segments) => {
        const globs = [...yes.map((each) => each.join('/')), `!${no.join('/')}`]
        const expected = yes.some((each) => naive(below(each), segments)) && !naive(below(no), segments)
        expect(takes(globs, segments.join('/'))).toBe(expected)
      }),
      { numRuns: 3000 },
    )
  })

  it('agrees with picomatch on globs that both support', () => {
    const plain = fc
      .array(fc.constantFrom('a', 'b', 'ab', '*', '*.ts', 'a*', '**', '{a,b}', '[ab]x', '?b'), {
        minLength: 1,
        maxLength: 4,
      })
      // picomatch is inconsistent about whether a wildcard and then `**` match the directory itself.
      .filter((segments) => usable(segments) && below(segments) === segments)
    const names = fc.array(fc.constantFrom('a', 'b', 'ab', 'a.ts', 'ax', '.ts', 'c'), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(plain, names, (segments, name) => {
        const isMatch = picomatch(segments.join('/'), { dot: true })
        expect(takes([segments.join('/')], name.join('/'))).toBe(isMatch(name.join('/')))
      }),
      { numRuns: 3000 },
    )
  })

  it('stays linear on globs and paths made for backtracking', () => {
    const globs = [
      '**/a/**/b/**/*.ts',
      'src/*a*a*a*b/**',
      '**/*a*a*a*b/**/*a*a*a*b/**/*a*a*a*b/x',
      '**/*/**/*/**/*/**/y',
    ]
    const scope = compileScope(globs)
    const paths = [
      'a/b/'.repeat(1000),
      `src/${`${'a'.repeat(250)}/`.repeat(15)}`,
      'a/'.repeat(2040),
      'ab/'.repeat(1300),
    ]
    for (const each of paths) for (let i = 0; i < 20; i++) expect(scope.matches(`${each}x${i}`)).toBe(false)
  })
})
