import fs from 'node:fs'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBareFacade, tempDir } from '../support/facade.js'
import { fuzzParameters } from '../support/fuzz.js'

/**
 * Random globs over a tree on the disk by `node:fs`, and over the same tree, half of it staged, by the facade, in three
 * forms: the results must be equal. A host without glob has nothing to compare with.
 *
 * Differences between the facade and Node, with reasons: the order is by name, Node's is that of the disk and of its
 * queue.
 * - With `**` next to `..` Node does not search a directory again in which a part of the glob was searched, and finds
 *   fewer or more by the order of its queue; the facade searches each directory, and the one above.
 * - With file types Node calls `exclude` with the name below its own working directory; the facade with the found one.
 * - A Dirent found through `..` has that name in Node in some places; here it has its own.
 * - `!(x)` excludes, in Node, every directory's own empty name, and so everything; here, names other than x.
 */

const [NODE = 0] = process.versions.node.split('.').map(Number)

type Find = (pattern: string | string[], options: object) => Promise<unknown[]>
type Api = Record<'globSync' | 'glob', (...args: unknown[]) => unknown>

function finders(api: typeof fs): Find[] {
  const functions = api as unknown as Api
  const promises = api.promises as unknown as Api
  return [
    async (...args) => functions.globSync(...args) as unknown[],
    (...args) =>
      new Promise((resolve, reject) =>
        functions.glob(...args, (error: unknown, found: unknown[]) => (error ? reject(error) : resolve(found))),
      ),
    async (...args) => {
      const found: unknown[] = []
      for await (const each of promises.glob(...args) as AsyncIterable<unknown>) found.push(each)
      return found
    },
  ]
}

const segment = fc.constantFrom(
  ...['a', 'b', 'ld', 'k', 'x', 'é', '.h', '*', '*', '**', '**', '..', '.', '?', '[a-k]', 'l*', '.*', '*.js', '{a,ld}'],
  ...['{a/b,k}', '!(a)', '@(a|k)', '**b', 'x.js', '', '!a', '{a}', '{b,{x,k}}*', '[!a]', '*\\?', 'a*(b)'],
)
const relative = fc
  .array(segment, { minLength: 1, maxLength: 5 })
  .map((names) => names.join('/').replace(/^\/+/, ''))
  .filter((text) => !/\*\*\/(\.?\/)*\.\.\/|\.\.\/(\.?\/)*\*\*/.test(text))
const exclude = fc.oneof(
  fc.constant(undefined),
  fc.array(
    relative.filter((each) => !each.includes('!(')),
    { minLength: 1, maxLength: 2 },
  ),
  // Excluded by a function.
  fc.constantFrom('a', 'b', 'ld', 'x.js'),
)
const search = fc.record({
  globs: fc.oneof({ weight: 4, arbitrary: relative }, fc.array(relative, { minLength: 2, maxLength: 3 })),
  isAbsolute: fc.constantFrom(false, false, false, true),
  below: fc.constantFrom('', '', '/a', '/ld'),
  exclude,
  withFileTypes: fc.boolean(),
  followSymlinks: NODE >= 24 ? fc.boolean() : fc.constant(false),
  maxDepth: fc.option(fc.nat(5), { nil: undefined }),
  form: fc.nat(2),
})
type Asked = typeof search extends fc.Arbitrary<infer T> ? T : never

function optionsOf(
  { globs, below, exclude: left, withFileTypes, followSymlinks, maxDepth }: Asked,
  root: string,
): object {
  const namesUp = [globs].flat().some((each) => each.includes('..'))
  const options = { cwd: root + below, withFileTypes: withFileTypes && !namesUp, followSymlinks, maxDepth }
  if (typeof left !== 'string') return { ...options, ...(left && { exclude: left }) }
  return { ...options, withFileTypes: false, exclude: (each: string) => each === left || each.endsWith(`/${left}`) }
}

async function ask(api: typeof fs, root: string, search: Asked): Promise<string[]> {
  const patterns = [search.globs].flat().map((each) => (search.isAbsolute ? `${root}/${each}` : each))
  const found = await finders(api)[search.form]?.(patterns, optionsOf(search, root))
  return showEntries(found ?? [], root)
}

function seed(api: typeof fs, root: string, half: 'lower' | 'upper'): void {
  if (half === 'lower') {
    for (const name of ['a/b', 'a/.h/b', 'd/e', 'x']) api.mkdirSync(`${root}/${name}`, { recursive: true })
    for (const name of ['a/x.js', 'a/b/a', 'd/e/b', 'x.js', '.h', 'x/k']) api.writeFileSync(`${root}/${name}`, '')
    api.symlinkSync('a', `${root}/ld`)
    api.symlinkSync('../d', `${root}/a/ld`)
  } else {
    for (const name of ['a/b/x', 'k/b', 'k/.h']) api.mkdirSync(`${root}/${name}`, { recursive: true })
    for (const name of ['a/b/x.js', 'k/b/x.js', 'd/é', 'k/.h/a']) api.writeFileSync(`${root}/${name}`, '')
    api.symlinkSync('../../k', `${root}/a/b/k`)
    api.symlinkSync('..', `${root}/k/x`)
    api.symlinkSync('nowhere', `${root}/é`)
  }
}

function showEntries(found: unknown[], root: string): string[] {
  return found
    .map((each) =>
      each instanceof fs.Dirent
        ? `${each.parentPath} ${each.name} ${each.isDirectory()} ${each.isSymbolicLink()}`
        : String(each),
    )
    .map((text) => text.replaceAll(root.slice(0, -'/1/2/3/4/5/tree'.length), '<top>'))
    .sort()
}

describe('glob against node:fs', () => {
  it('finds the same as the host, with exclusions, file types and links', async () => {
    const [outer, other] = [tempDir(), tempDir()]
    // Well below the temporary directory: a path that leaves a root stays in the test's directory.
    const [real, copy] = [`${outer.path}/1/2/3/4/5/tree`, `${other.path}/1/2/3/4/5/tree`]
    try {
      for (const half of ['lower', 'upper'] as const) seed(fs, real, half)
      seed(fs, copy, 'lower')
      const facade = createBareFacade(copy)
      seed(facade.fs, copy, 'upper')
      expect('globSync' in facade.fs).toBe('globSync' in fs)
      if (!('globSync' in fs)) return
      await fc.assert(
        fc.asyncProperty(search, async (search) => {
          expect(await ask(facade.fs, copy, search), inspect(search)).toEqual(await ask(fs, real, search))
        }),
        fuzzParameters(300),
      )
    } finally {
      outer.dispose()
      other.dispose()
    }
  })
})
