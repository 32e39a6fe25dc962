import fs from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Decide } from '../../src/core/decision.js'
import { glob } from '../../src/fs/glob.js'
import { OPS } from '../../src/fs/ops.js'
import { shapeOf } from '../../src/fs/special-forms.js'
import { createBareFacade, tempDir } from '../support/facade.js'

let dir: ReturnType<typeof tempDir>
let root: string

beforeEach(() => {
  dir = tempDir()
  root = dir.path
  for (const name of ['a/b/c', 'a/.hidden/x', 'z']) fs.mkdirSync(`${root}/${name}`, { recursive: true })
  for (const name of ['one.js', 'two.ts', '.dot.js', 'a/one.js', 'a/b/one.js', 'a/b/c/two.ts', 'a/.hidden/x/y.js'])
    fs.writeFileSync(`${root}/${name}`, '')
  fs.symlinkSync('a', `${root}/toA`)
})
afterEach(() => dir.dispose())

/** glob of a host that has it or not: the table of a facade has `exists` in its place. */
function globOf(decide?: Decide): (pattern: unknown, options?: unknown) => unknown[] {
  const { fs: facade } = createBareFacade(root, decide, { ...OPS, exists: OPS.glob })
  facade.writeFileSync(`${root}/a/staged.js`, '')
  return (pattern, options) => Reflect.apply(facade.existsSync, facade, [pattern, options]) as unknown as unknown[]
}

const HOST = 'globSync' in fs ? (fs.globSync as (pattern: unknown, options: object) => unknown[]) : undefined

const CASES: [unknown, string[]][] = [
  ['*.js', ['one.js']],
  ['.*.js', ['.dot.js']],
  ['**/*.js', ['one.js', 'a/one.js', 'a/staged.js', 'a/b/one.js']],
  ['a/**', ['a', 'a/b', 'a/b/c', 'a/b/c/two.ts', 'a/b/one.js', 'a/one.js', 'a/staged.js']],
  ['a/*/', ['a/b']],
  ['a/*', ['a/b', 'a/one.js', 'a/staged.js']],
  ['*/b/one.js', ['a/b/one.js']],
  ['./a/*.js', ['a/one.js', 'a/staged.js']],
  ['a/../*.ts', ['two.ts']],
  ['a/one.js', ['a/one.js']],
  ['a/none.js', []],
  ['one.js/', []],
  ['toA/*.js', ['toA/one.js', 'toA/staged.js']],
  ['{one,two}.*', ['one.js', 'two.ts']],
  ['a/b/{c/two,one}.*', ['a/b/one.js', 'a/b/c/two.ts']],
  ['[ot]*.?s', ['one.js', 'two.ts']],
  ['!one.js', []],
  [
    ['*.ts', '*.js', '*.ts'],
    ['one.js', 'two.ts'],
  ],
  ['a/.hidden/**/*.js', ['a/.hidden/x/y.js']],
  ['**/.hidden/*', ['a/.hidden/x']],
  ['*/../z', ['z']],
  ['z/../**/c', ['a/b/c']],
  ['{a,toA}/b/*.js', ['a/b/one.js', 'toA/b/one.js']],
  ['{z}', []],
  ['a\\b\\*.js', ['a/b/one.js']],
  ['**/toA', ['toA']],
  ['**/toA/*', []],
  ['./**/toA/*.js', []],
  ['a/b/**/..', ['a', 'a/b']],
  ['[!a-y]', ['z']],
  ['!(a|z)', ['one.js', 'toA', 'two.ts']],
]

describe('glob', () => {
  it.each(CASES)('%j finds the expected paths', (pattern, wanted) => {
    expect(globOf()(pattern).sort()).toEqual([...wanted].sort())
  })

  it.each(CASES)('%j finds the same as the host, if the host has it', (pattern) => {
    fs.writeFileSync(`${root}/a/staged.js`, '')
    const byHost = HOST?.(pattern, { cwd: root }) ?? globOf()(pattern)
    expect(globOf()(pattern).sort()).toEqual(byHost.sort())
  })

  it('begins at cwd, by path or URL', () => {
    expect(globOf()('*.js', { cwd: 'a/b' })).toEqual(['one.js'])
    expect(globOf()('*.js', { cwd: new URL(`file://${root}/a/b`) })).toEqual(['one.js'])
    expect(globOf()('../*.ts', { cwd: `${root}/a` })).toEqual(['../two.ts'])
  })

  it('skips excluded entries, by globs or by a function, and everything below them', () => {
    const looked: string[] = []
    const find = globOf(({ path }) => {
      looked.push(path)
      return { verdict: 'stage' }
    })
    looked.length = 0
    expect(find('**/*.js', { exclude: ['a/b'] })).toEqual(['one.js', 'a/one.js', 'a/staged.js'].sort())
    expect(looked.filter((path) => path.startsWith('a/b/'))).toEqual([])
    expect(find('**/*.js', { exclude: (name: string) => name === 'a' })).toEqual(['one.js'])
  })

  it('gives Dirents of the host’s class on request', () => {
    const [found] = globOf()('a/b/*.js', { withFileTypes: true }) as fs.Dirent[]
    expect(found).toBeInstanceOf(fs.Dirent)
    expect([found?.name, found?.parentPath, found?.isFile()]).toEqual(['one.js', 'a/b', true])
  })

  it('follows only literal links, and ends on a cycle', () => {
    fs.symlinkSync('..', `${root}/a/up`)
    expect(globOf()('*/one.js')).toEqual(['a/one.js'])
    const found = globOf()('**/two.ts', { followSymlinks: true })
    expect(found).toContain('toA/b/c/two.ts')
    expect(found.length).toBeLessThan(20)
  })

  it('does not find unreadable paths', () => {
    const find = globOf(({ effect, path }) =>
      effect === 'read' && path === 'a/b'
        ? { verdict: 'deny', denial: { reason: 'access_denied', message: 'No.' } }
        : { verdict: 'stage' },
    )
    expect(find('a/b/**/*.js')).toEqual([])
    expect(find('a/*.js')).toEqual(['a/one.js', 'a/staged.js'])
  })

  it.each([
    [5, undefined],
    [[5], undefined],
    ['*', null],
    ['*', { cwd: 5 }],
    ['*', { exclude: 5 }],
    ['*', { exclude: [5] }],
    ['*', { followSymlinks: 'yes' }],
  ])('refuses (%o, %o)', (pattern, options) => {
    expect(() => globOf()(pattern, options)).toThrow(expect.objectContaining({ code: 'ERR_INVALID_ARG_TYPE' }))
  })
})

describe('the facade', () => {
  it('has glob if the host has it', () => {
    const { fs: facade } = createBareFacade(root)
    expect('globSync' in facade).toBe('globSync' in fs)
    expect('glob' in facade.promises).toBe('glob' in fs.promises)
  })

  it('iterates over the results of the promise form', async () => {
    const promised = shapeOf('promises.glob')?.(() => () => ['x', 'y'])('*') as AsyncIterable<string>
    const found: string[] = []
    for await (const name of promised) found.push(name)
    expect(found).toEqual(['x', 'y'])
    expect(OPS.glob.run).toBe(glob)
  })
})
