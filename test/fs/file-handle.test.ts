import { EventEmitter, once } from 'node:events'
import fs from 'node:fs'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { HANDLE_OPS } from '../../src/fs/handle-ops.js'
import { type BareFacade, createBareFacade, tempDir, treeOf } from '../support/facade.js'

let dir: { path: string; dispose(): void }
let facade: BareFacade
let before: string[]

beforeEach(() => {
  dir = tempDir()
  fs.writeFileSync(`${dir.path}/lower`, 'one\ntwo\r\nthree')
  before = treeOf(fs, dir.path)
  facade = createBareFacade(dir.path)
})
afterEach(() => {
  expect(treeOf(fs, dir.path)).toEqual(before)
  dir.dispose()
})

const open = (name: string, flags = 'r') => facade.fs.promises.open(`${dir.path}/${name}`, flags)

describe('FileHandle', () => {
  it('has every method of the running host as its own', async () => {
    const [host, ours] = [await fs.promises.open(`${dir.path}/lower`), await open('lower')]
    const names = Object.getOwnPropertyNames(Object.getPrototypeOf(host)).filter((name) => name !== 'constructor')
    const missing = names.filter((name) => !(name in ours))
    expect(missing).toEqual([])
    expect(names.filter((name) => name !== 'fd' && !(name in HANDLE_OPS))).toEqual([])
    expect(ours).toBeInstanceOf(EventEmitter)
    await host.close()
    await ours.close()
  })

  it('reads and writes at given and own positions, with named results', async () => {
    const handle = await open('new', 'w+')
    expect(await handle.write('hello')).toEqual({ bytesWritten: 5, buffer: 'hello' })
    expect((await handle.writev([Buffer.from(' '), Buffer.from('world')])).bytesWritten).toBe(6)
    const { bytesRead, buffer } = await handle.read({ buffer: Buffer.alloc(5), position: 6 })
    expect([bytesRead, buffer.toString()]).toEqual([5, 'world'])
    await handle.truncate(5)
    expect((await handle.stat()).size).toBe(5)
    expect((await handle.stat({ bigint: true })).size).toBe(5n)
    await handle.chmod(0o600)
    await handle.sync()
    await handle.datasync()
    await handle.close()
    expect(facade.fs.statSync(`${dir.path}/new`).mode & 0o777).toBe(0o600)
  })

  it('reads whole files, lines and web streams', async () => {
    const whole = await open('lower')
    expect(await whole.readFile('utf8')).toBe('one\ntwo\r\nthree')
    await whole.close()
    const lines: string[] = []
    for await (const line of (await open('lower')).readLines()) lines.push(line)
    expect(lines).toEqual(['one', 'two', 'three'])
    const handle = await open('lower')
    const chunks: string[] = []
    for await (const chunk of handle.readableWebStream() as AsyncIterable<Uint8Array>)
      chunks.push(Buffer.from(chunk).toString())
    expect(chunks.join('')).toBe('one\ntwo\r\nthree')
    await handle.close()
  })

  it('creates streams that close it, and works in promises.readFile and writeFile', async () => {
    const handle = await open('new', 'w+')
    await facade.fs.promises.writeFile(handle, 'by handle')
    await facade.fs.promises.appendFile(handle, '!')
    const closed = once(handle as unknown as EventEmitter, 'close')
    const stream = handle.createReadStream({ start: 0 })
    let text = ''
    for await (const chunk of stream) text += chunk
    await closed
    expect(text).toBe('by handle!')
    expect(handle.fd).toBe(-1)
    await expect(handle.stat()).rejects.toMatchObject({ code: 'EBADF', message: 'file closed' })
    await expect(handle.close()).resolves.toBeUndefined()
  })

  it('writes chunks as promises.writeFile does', async () => {
    async function* later() {
      yield 'b'
      yield Buffer.from('c')
    }
    const handle = await open('new', 'w+')
    await handle.writeFile(['a'])
    await handle.appendFile(later())
    await handle.writeFile(Readable.from(['d']))
    await handle.close()
    expect(facade.fs.readFileSync(`${dir.path}/new`, 'utf8')).toBe('abcd')
  })

  it('that was closed between its chunks writes nothing elsewhere', async () => {
    const handle = await open('new', 'w+')
    const { promises } = facade.fs
    async function* late() {
      yield 'a'
      await handle.close()
      await open('lower')
      yield 'b'
    }
    await expect(promises.writeFile(handle, late())).rejects.toThrow()
    const other = await open('new', 'w+')
    async function* later() {
      yield 'a'
      await other.close()
      await open('other', 'w')
    }
    await expect(other.writeFile(later())).rejects.toThrow()
    expect(facade.fs.readFileSync(`${dir.path}/other`, 'utf8')).toBe('')
  })

  it('is disposed of by its async dispose', async () => {
    const handle = await open('lower')
    await handle[Symbol.asyncDispose]()
    expect(handle.fd).toBe(-1)
  })
})

describe('descriptors', () => {
  it('of the host are unknown here, and ours are unknown to the host', () => {
    const host = fs.openSync(`${dir.path}/lower`, 'r+')
    const ours = facade.fs.openSync(`${dir.path}/lower`, 'r+')
    const functions = facade.fs as unknown as Record<string, (...args: unknown[]) => unknown>
    for (const name of ['fstat', 'fsync', 'fdatasync', 'ftruncate', 'close', 'fchmod', 'fchown']) {
      const args = name === 'fchmod' ? [0o600] : name === 'fchown' ? [0, 0] : []
      expect(() => functions[`${name}Sync`]?.(host, ...args), name).toThrow(expect.objectContaining({ code: 'EBADF' }))
    }
    expect(() => functions.writeSync?.(host, 'x')).toThrow(expect.objectContaining({ code: 'EBADF' }))
    expect(() => fs.fstatSync(ours)).toThrow(expect.objectContaining({ code: 'EBADF' }))
    fs.closeSync(host)
    facade.fs.closeSync(ours)
  })

  it('call back with count and buffer, and promisify to both by name', async () => {
    const fd = facade.fs.openSync(`${dir.path}/lower`, 'r')
    const results = await new Promise((done) => facade.fs.read(fd, Buffer.alloc(3), 0, 3, 0, (...args) => done(args)))
    expect(results).toEqual([null, 3, Buffer.from('one')])
    expect(await promisify(facade.fs.read)(fd, Buffer.alloc(3), 0, 3, 0)).toEqual({
      bytesRead: 3,
      buffer: Buffer.from('one'),
    })
    facade.fs.closeSync(fd)
  })

  it('of a read-only file still cannot change its mode when its path may not be changed', () => {
    const strict = createBareFacade(dir.path, ({ effect }) =>
      effect === 'read'
        ? { verdict: 'allow' }
        : { verdict: 'deny', denial: { reason: 'scope_violation', message: 'No.' } },
    )
    const fd = strict.fs.openSync(`${dir.path}/lower`, 'r')
    expect(() => strict.fs.fchmodSync(fd, 0o600)).toThrow(expect.objectContaining({ reason: 'scope_violation' }))
    expect(() => strict.fs.fchownSync(fd, 0, 0)).toThrow(expect.objectContaining({ reason: 'scope_violation' }))
    strict.fs.closeSync(fd)
  })

  it('are judged by the file’s current name', () => {
    const denied = new Set<string>()
    const guarded = createBareFacade(dir.path, ({ effect, path }) =>
      effect !== 'read' && denied.has(path)
        ? { verdict: 'deny', denial: { reason: 'scope_violation', message: 'No.' } }
        : { verdict: 'stage' },
    )
    const fd = guarded.fs.openSync(`${dir.path}/lower`, 'r+')
    guarded.fs.renameSync(`${dir.path}/lower`, `${dir.path}/moved`)
    denied.add('moved')
    expect(() => guarded.fs.writeSync(fd, 'x')).toThrow(expect.objectContaining({ reason: 'scope_violation' }))
    guarded.fs.closeSync(fd)
  })
})
