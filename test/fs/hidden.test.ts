import fs from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Decide } from '../../src/core/decision.js'
import { OPS } from '../../src/fs/ops.js'
import { type BareFacade, createBareFacade, tempDir } from '../support/facade.js'

/** No function, result or error may distinguish a hidden path from an absent one. */

let dir: { path: string; dispose(): void }
let facade: BareFacade

const decide: Decide = ({ path, asked }) =>
  [path, asked].some((name) => /(^|\/)hidden/.test(name))
    ? { verdict: 'deny', denial: { reason: 'hidden', message: 'Hidden.' } }
    : { verdict: 'stage' }

beforeEach(() => {
  dir = tempDir()
  for (const name of ['hidden.d/sub', 'hidden.empty', 'open']) fs.mkdirSync(`${dir.path}/${name}`, { recursive: true })
  for (const name of ['hidden.f', 'hidden.d/f', 'open/f']) fs.writeFileSync(`${dir.path}/${name}`, 'SECRET')
  fs.symlinkSync('hidden.loop', `${dir.path}/hidden.loop`)
  fs.symlinkSync('open', `${dir.path}/hidden.l`)
  facade = createBareFacade(dir.path, decide)
})
afterEach(() => dir.dispose())

/** All functions whose first argument is a path: that of symlink is text, and a prefix or a pattern is not a path. */
const stems = Object.keys(OPS).filter((stem) => Reflect.get(fs, `${stem}Sync`) && !/^(symlink|mkdtemp|glob)/.test(stem))

function outcome(stem: string, args: unknown[]): string {
  const call: unknown = Reflect.get(facade.fs, `${stem}Sync`)
  try {
    const value: unknown = Reflect.apply(call as () => unknown, undefined, args)
    return `answers ${typeof value}`
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    return `${code} ${syscall}`
  }
}

const TAILS = (root: string): unknown[][] => [
  ...[[], ['x'], [1, 1], [{ recursive: true }], [{ recursive: true, force: true }], [{ throwIfNoEntry: false }]],
  ...[[`${root}/new`], [`${root}/open/new`, 1], ['r'], ['wx'], ['r+'], [0o755], [{ withFileTypes: true }]],
]

describe('a hidden path', () => {
  it.each([
    ['hidden.f', 'hidden.none'],
    ['hidden.d', 'hidden.none'],
    ['hidden.empty', 'hidden.none'],
    ['hidden.l', 'hidden.none'],
    ['hidden.loop', 'hidden.none'],
    ['hidden.f/', 'hidden.none/'],
    ['hidden.d/', 'hidden.none/'],
    ['hidden.f/x', 'hidden.none/x'],
    ['hidden.d/f', 'hidden.none/f'],
    ['hidden.d/sub', 'hidden.none/sub'],
    ['hidden.d/none', 'hidden.none/none'],
    ['hidden.loop/x', 'hidden.none/x'],
  ])('%s gives the same results as %s', (there, absent) => {
    const differences = stems.flatMap((stem) =>
      TAILS(dir.path).flatMap((tail) => {
        const [got, wanted] = [there, absent].map((name) => outcome(stem, [`${dir.path}/${name}`, ...tail]))
        return got === wanted ? [] : [`${stem} ${JSON.stringify(tail)}: ${got}, absent: ${wanted}`]
      }),
    )
    expect(differences).toEqual([])
  })

  it.each(['openAsBlob', 'promises.readFile', 'promises.stat', 'promises.readdir'])('is absent to %s', async (name) => {
    const call: unknown = name.split('.').reduce<unknown>((api, part) => Reflect.get(Object(api), part), facade.fs)
    const resultOf = async (path: string): Promise<unknown> => {
      try {
        return await Reflect.apply(call as () => unknown, undefined, [`${dir.path}/${path}`])
      } catch (error) {
        const { code, syscall, message } = error as NodeJS.ErrnoException
        return [code, syscall, message.replaceAll(path, 'PATH')]
      }
    }
    for (const path of ['hidden.f', 'hidden.d', 'hidden.d/f'])
      expect(await resultOf(path)).toEqual(await resultOf('none'))
  })

  it('is reported when openAsBlob reads it', async () => {
    // Some releases of Node throw at once.
    await expect(async () => facade.fs.openAsBlob(`${dir.path}/hidden.f`)).rejects.toThrow()
    expect(facade.denied).toEqual([{ reason: 'hidden', message: 'Hidden.' }])
  })

  it.each(['rename', 'link', 'copyFile', 'cp', 'symlink'])('cannot be the target of %s', (stem) => {
    const to = (name: string) => outcome(stem, [`${dir.path}/open/f`, `${dir.path}/${name}`])
    for (const name of ['hidden.f', 'hidden.d', 'hidden.empty']) expect(to(name)).toBe(to('hidden.none'))
    expect(to('hidden.f/x')).toBe(to('hidden.none/x'))
  })
})

describe('a hidden path outside of the workspace', () => {
  it('is not in the listing of its directory', async () => {
    const root = `${dir.path}/open`
    const { fs: api } = createBareFacade(root, decide)
    const visible = ['open', ...fs.readdirSync(dir.path)].filter((name) => !name.startsWith('hidden'))
    const names = (entries: readonly { readonly name: string }[]) => entries.map(({ name }) => name)
    expect(api.readdirSync(dir.path).sort()).toEqual([...new Set(visible)])
    expect(names(api.readdirSync(dir.path, { withFileTypes: true }))).toEqual([...new Set(visible)])
    expect(api.readdirSync(dir.path, { recursive: true }).filter((name) => String(name).includes('hidden'))).toEqual([])
    const opened = api.opendirSync(dir.path)
    expect(opened.readSync()?.name).toBe('open')
    expect(opened.readSync()).toBeNull()
  })

  it('cannot be read by a descriptor that was opened before it was hidden', () => {
    let isOpen = true
    const { fs: api } = createBareFacade(`${dir.path}/open`, (access) =>
      isOpen ? { verdict: 'stage' } : decide(access),
    )
    const fd = api.openSync(`${dir.path}/hidden.f`, 'r')
    expect(api.readSync(fd, Buffer.alloc(3), 0, 3, 0)).toBe(3)
    isOpen = false
    expect(() => api.readSync(fd, Buffer.alloc(3), 0, 3, 0)).toThrow(/ENOENT/)
    api.closeSync(fd)
  })
})

it('a directory that another program replaced with a link to a hidden one is not listed', () => {
  expect(facade.fs.readdirSync('open')).toEqual(['f'])
  expect(facade.fs.readdirSync('open')).toEqual(['f'])
  fs.renameSync(`${dir.path}/open`, `${dir.path}/away`)
  fs.symlinkSync('hidden.d', `${dir.path}/open`)
  expect(() => facade.fs.readdirSync('open')).toThrow(expect.objectContaining({ code: 'ENOENT' }))
})
