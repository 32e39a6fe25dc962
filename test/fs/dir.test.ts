import fs from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type BareFacade, createBareFacade, tempDir } from '../support/facade.js'

let dir: ReturnType<typeof tempDir>
let root: string
let facade: BareFacade

beforeEach(() => {
  dir = tempDir()
  root = dir.path
  fs.mkdirSync(`${root}/sub/deep`, { recursive: true })
  fs.writeFileSync(`${root}/file`, '')
  fs.writeFileSync(`${root}/sub/deep/last`, '')
  fs.writeFileSync(`${root}/gone`, '')
  facade = createBareFacade(root)
  facade.fs.unlinkSync(`${root}/gone`)
  facade.fs.writeFileSync(`${root}/staged`, '')
})
afterEach(() => dir.dispose())

const names = async (opened: AsyncIterable<fs.Dirent>) => {
  const found: string[] = []
  for await (const entry of opened) found.push(`${entry.parentPath.slice(root.length)}/${entry.name}`)
  return found.sort()
}

describe('opendir', () => {
  it('shows the merged view as a Dir of the host’s class, in three forms', async () => {
    const sync = facade.fs.opendirSync(root)
    const promised = await facade.fs.promises.opendir(root)
    const called = await new Promise<fs.Dir>((resolve, reject) =>
      facade.fs.opendir(root, (error, opened) => (error ? reject(error) : resolve(opened))),
    )
    for (const opened of [sync, promised, called]) {
      expect(opened).toBeInstanceOf(fs.Dir)
      expect(opened.path).toBe(root)
      expect(await names(opened)).toEqual(['/file', '/staged', '/sub'])
    }
  })

  it('lists recursively on request', async () => {
    const opened = facade.fs.opendirSync(root, { recursive: true })
    expect(await names(opened)).toEqual(['/file', '/staged', '/sub', '/sub/deep', '/sub/deep/last'])
  })

  it('gives names in the requested encoding', () => {
    const opened = Reflect.apply(facade.fs.opendirSync, facade.fs, [`${root}/sub`, { encoding: 'buffer' }]) as fs.Dir
    expect(opened.readSync()?.name).toEqual(Buffer.from('deep'))
  })

  it.each([
    ['none', undefined, 'ENOENT'],
    ['file', undefined, 'ENOTDIR'],
    ['sub', { bufferSize: 0 }, 'ERR_OUT_OF_RANGE'],
    ['sub', { bufferSize: 'x' }, 'ERR_INVALID_ARG_TYPE'],
    ['sub', { encoding: 'x' }, 'ERR_INVALID_ARG_VALUE'],
  ])('of %s with %o fails with %s', (name, options, code) => {
    const call = () => Reflect.apply(facade.fs.opendirSync, facade.fs, [`${root}/${name}`, options])
    expect(call).toThrow(expect.objectContaining({ code }))
  })

  it('is refused if reads are', async () => {
    const { fs: denied } = createBareFacade(root, ({ path }) =>
      path === 'sub' ? { verdict: 'deny', denial: { reason: 'access_denied', message: 'No.' } } : { verdict: 'allow' },
    )
    expect(() => denied.opendirSync(`${root}/sub`)).toThrow(/EACCES: No\., opendir/)
    await expect(names(denied.opendirSync(root, { recursive: true }))).rejects.toMatchObject({ code: 'EACCES' })
  })
})

describe('an open Dir', () => {
  it('reads by promise, callback and sync call, until null', async () => {
    const opened = facade.fs.opendirSync(root)
    const first = opened.readSync()?.name
    const second = (await opened.read())?.name
    const third = await new Promise((resolve) => opened.read((_error, entry) => resolve(entry?.name)))
    expect([first, second, third].sort()).toEqual(['file', 'staged', 'sub'])
    expect(await opened.read()).toBeNull()
    await opened.close()
  })

  it('fails after close as Node’s does', async () => {
    const shut = { code: 'ERR_DIR_CLOSED' }
    const [ours, theirs] = [facade.fs.opendirSync(root), fs.opendirSync(root)]
    for (const opened of [ours, theirs]) {
      opened.closeSync()
      expect(() => opened.readSync()).toThrow(expect.objectContaining(shut))
      expect(() => opened.closeSync()).toThrow(expect.objectContaining(shut))
      // Node 20 throws, later ones reject.
      await expect((async () => opened.read())()).rejects.toMatchObject(shut)
      expect(() => opened.read(() => undefined)).toThrow(expect.objectContaining(shut))
      await expect(opened.close()).rejects.toMatchObject(shut)
      expect(await new Promise((resolve) => opened.close(resolve))).toMatchObject(shut)
    }
  })

  it('is closed by the loop that reads it, and by disposal', async () => {
    const looped = facade.fs.opendirSync(root)
    for await (const _entry of looped) break
    expect(() => looped.readSync()).toThrow(/closed/)
    const disposed = facade.fs.opendirSync(root)
    await disposed[Symbol.asyncDispose]()
    await disposed[Symbol.asyncDispose]()
    expect(() => disposed.readSync()).toThrow(/closed/)
  })

  it('requires functions as callbacks', () => {
    const opened = facade.fs.opendirSync(root)
    expect(() => Reflect.apply(opened.read, opened, [5])).toThrow(/"callback"/)
    expect(() => Reflect.apply(opened.close, opened, [5])).toThrow(/"callback"/)
  })

  it('has every method of the host’s class', () => {
    const opened = facade.fs.opendirSync(root)
    const inner = ['constructor', 'processReadResult', 'readSyncRecursive', 'path']
    const methods = Object.getOwnPropertyNames(fs.Dir.prototype).filter((name) => !inner.includes(name))
    expect(methods.filter((name) => !Object.hasOwn(opened, name))).toEqual([])
  })
})
