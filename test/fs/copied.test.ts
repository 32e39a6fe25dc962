import fs from 'node:fs'
import { createRequire } from 'node:module'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type BareFacade, createBareFacade, tempDir, treeOf } from '../support/facade.js'

let dir: { path: string; dispose(): void }
let facade: BareFacade
let before: string[]

beforeEach(() => {
  dir = tempDir()
  fs.writeFileSync(`${dir.path}/lower`, 'lower')
  before = treeOf(fs, dir.path)
  facade = createBareFacade(dir.path)
})
afterEach(() => {
  expect(treeOf(fs, dir.path)).toEqual(before)
  dir.dispose()
})

type Writer = (path: string, data: Buffer) => unknown

/** Ways to pass a buffer: each starts, and the caller's buffer is overwritten before anything is awaited. */
const WRITERS: readonly [string, Writer][] = [
  ['writeFileSync', (path, data) => facade.fs.writeFileSync(path, data)],
  ['appendFileSync', (path, data) => facade.fs.appendFileSync(path, data)],
  ['writeFile', (path, data) => new Promise((resolve) => facade.fs.writeFile(path, data, resolve))],
  ['appendFile', (path, data) => new Promise((resolve) => facade.fs.appendFile(path, data, resolve))],
  ['promises.writeFile', (path, data) => facade.fs.promises.writeFile(path, data)],
  ['promises.appendFile', (path, data) => facade.fs.promises.appendFile(path, data)],
  ['writeSync', (path, data) => facade.fs.writeSync(facade.fs.openSync(path, 'w'), data)],
  [
    'writevSync',
    (path, data) => facade.fs.writevSync(facade.fs.openSync(path, 'w'), [data.subarray(0, 2), data.subarray(2)]),
  ],
  ['write', (path, data) => new Promise((resolve) => facade.fs.write(facade.fs.openSync(path, 'w'), data, resolve))],
  [
    'writev',
    (path, data) => new Promise((resolve) => facade.fs.writev(facade.fs.openSync(path, 'w'), [data], resolve)),
  ],
]

describe('staged content', () => {
  it.each(WRITERS)('is a copy of the data that %s got', async (_, write) => {
    for (const name of ['new', 'lower']) {
      const data = Buffer.from('content')
      const done = write(`${dir.path}/${name}`, data)
      data.fill('x')
      await done
      expect(facade.fs.readFileSync(`${dir.path}/${name}`, 'utf8')).toMatch(/content$/)
    }
  })

  it('is a copy of a FileHandle’s input', async () => {
    const handle = await facade.fs.promises.open(`${dir.path}/new`, 'w')
    for (const method of ['write', 'writeFile', 'appendFile'] as const) {
      const data = Buffer.from(`${method},`)
      const done = handle[method](data)
      data.fill('x')
      await done
    }
    await handle.close()
    expect(facade.fs.readFileSync(`${dir.path}/new`, 'utf8')).toBe('write,writeFile,appendFile,')
  })

  it('is a copy of each chunk of a reused buffer', async () => {
    async function* chunks(): AsyncGenerator<Buffer> {
      const buffer = Buffer.alloc(2)
      for (const part of ['on', 'e ', 'tw', 'o!']) {
        buffer.write(part)
        yield buffer
      }
    }
    await facade.fs.promises.writeFile(`${dir.path}/new`, chunks())
    expect(facade.fs.readFileSync(`${dir.path}/new`, 'utf8')).toBe('one two!')
  })

  it('is not staged in part if an iterable fails', async () => {
    async function* failing(): AsyncGenerator<string> {
      yield 'one'
      throw new Error('no more')
    }
    await expect(facade.fs.promises.writeFile(`${dir.path}/lower`, failing())).rejects.toThrow('no more')
    await expect(facade.fs.promises.appendFile(`${dir.path}/new`, failing())).rejects.toThrow('no more')
    expect([facade.fs.readFileSync(`${dir.path}/lower`, 'utf8'), facade.fs.existsSync(`${dir.path}/new`)]).toEqual([
      'lower',
      false,
    ])
  })

  it('is returned as a copy, unaffected by the reader’s changes', () => {
    facade.fs.writeFileSync(`${dir.path}/new`, 'content')
    facade.fs.readFileSync(`${dir.path}/new`).fill('x')
    facade.fs.readFileSync(`${dir.path}/lower`).fill('x')
    expect(facade.fs.readFileSync(`${dir.path}/new`, 'utf8')).toBe('content')
    expect(facade.fs.readFileSync(`${dir.path}/lower`, 'utf8')).toBe('lower')
  })
})

describe('graceful-fs', () => {
  it('patches a clone of the facade, whose calls are governed', async () => {
    const graceful: { gracefulify(api: typeof fs): typeof fs } = createRequire(import.meta.url)('graceful-fs')
    const patched = graceful.gracefulify({ ...facade.fs })
    expect(patched.open).not.toBe(facade.fs.open)
    patched.createWriteStream(`${dir.path}/stream`).end('staged')
    patched.writeFileSync(`${dir.path}/file`, 'staged')
    expect(await text(patched.createReadStream(`${dir.path}/lower`))).toBe('lower')
    await expect.poll(() => facade.fs.readFileSync(`${dir.path}/stream`, 'utf8')).toBe('staged')
    expect(facade.fs.readFileSync(`${dir.path}/file`, 'utf8')).toBe('staged')
  })
})
