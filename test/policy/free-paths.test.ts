import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compileFreePaths } from '../../src/policy/free-paths.js'

const has = (lines: string[], path: string, isDirectory = false) => compileFreePaths(lines).has(path, isDirectory)

describe('a pattern of .intentignore', () => {
  it.each([
    [['*.log'], 'a/b.log', true],
    [['*.log'], 'a/b.logs', false],
    [['/dist'], 'dist/a/b.js', true],
    [['/dist'], 'a/dist/b.js', false],
    [['build/'], 'a/build/x', true],
    [['build/'], 'a/build', false],
    [['docs/*.md'], 'docs/a.md', true],
    [['docs/*.md'], 'docs/a/b.md', false],
    [['docs/**'], 'docs/a/b.md', true],
    [['docs/**'], 'docs', false],
    [['a/**/z'], 'a/z', true],
    [['a/**/z'], 'a/b/c/z', true],
    [['*.log', '!keep.log'], 'a/keep.log', false],
    [['tmp', '!tmp/keep'], 'tmp/keep', true],
    [['\\!odd'], '!odd', true],
    [['\\#odd'], '#odd', true],
    [['a\\*b'], 'a*b', true],
    [['a\\*b'], 'axb', false],
    [['trail   '], 'trail', true],
    [[], 'a', false],
  ])('%j on %s: %s', (lines, path, expected) => {
    expect(has(lines, path)).toBe(expected)
  })

  it('with a slash at its end matches a directory that is being created', () => {
    expect(has(['build/'], 'a/build', true)).toBe(true)
  })

  it('is matched in linear time on names made for backtracking', () => {
    const free = compileFreePaths(['*a*a*a*a*a*a*a*b', '**/x/**/y/**/z'])
    expect(free.has(`${'a'.repeat(4_000)}`, false)).toBe(false)
    expect(free.has('x/y/'.repeat(900), false)).toBe(false)
  })
})

describe('.intentignore compared with git', () => {
  let root: string
  const NAMES = ['a', 'b', 'ab', 'a.log', '.x']
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'escrowfs-ignore-'))
    execFileSync('git', ['init', '-q', root])
    for (const one of NAMES)
      for (const two of NAMES)
        for (const three of NAMES) {
          const path = join(root, 'd', one, two, three)
          mkdirSync(dirname(path), { recursive: true })
          writeFileSync(path, '')
        }
  })
  afterAll(() => rmSync(root, { recursive: true, force: true }))

  it('ignores the same files as git check-ignore', () => {
    const part = fc.constantFrom('a', 'b', 'a*', '*', '**', '?b', '[ab]', '[!a]', '*.log', 'd', '.*', 'a.log')
    const pattern = fc
      .tuple(
        fc.constantFrom('', '', '!'),
        fc.constantFrom('', '/'),
        fc.array(part, { minLength: 1, maxLength: 4 }),
        fc.constantFrom('', '', '/'),
      )
      .map(([sign, start, parts, end]) => sign + start + parts.join('/') + end)
    const files = NAMES.flatMap((one) => NAMES.flatMap((two) => NAMES.map((three) => `d/${one}/${two}/${three}`)))
    fc.assert(
      fc.property(fc.array(pattern, { minLength: 1, maxLength: 5 }), (lines) => {
        writeFileSync(join(root, '.gitignore'), `${lines.join('\n')}\n`)
        const { stdout } = spawnSync('git', ['-C', root, 'check-ignore', '--no-index', '--stdin'], {
          input: files.join('\n'),
          encoding: 'utf8',
        })
        const ignored = new Set(stdout.split('\n').filter((line) => line !== ''))
        const free = compileFreePaths(lines)
        expect(files.filter((file) => free.has(file, false))).toEqual(files.filter((file) => ignored.has(file)))
      }),
      { numRuns: 150 },
    )
  })
})
