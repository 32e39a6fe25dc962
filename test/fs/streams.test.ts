import fs from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Decide } from '../../src/core/decision.js'
import { type BareFacade, createBareFacade, tempDir, treeOf } from '../support/facade.js'

let dir: { path: string; dispose(): void }
let facade: BareFacade
let before: string[]

beforeEach(() => {
  dir = tempDir()
  fs.writeFileSync(`${dir.path}/lower`, 'abcdefghijklmnopqrstuvwxyz')
  before = treeOf(fs, dir.path)
  facade = createBareFacade(dir.path)
})
afterEach(() => {
  expect(treeOf(fs, dir.path)).toEqual(before)
  dir.dispose()
})

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Buffer))
  return Buffer.concat(chunks).toString()
}

describe('streams', () => {
  it('read lower and staged files, whole or from start to end', async () => {
    expect(await textOf(facade.fs.createReadStream(`${dir.path}/lower`))).toBe('abcdefghijklmnopqrstuvwxyz')
    facade.fs.writeFileSync(`${dir.path}/lower`, '0123456789')
    const options = { start: 2, end: 5, highWaterMark: 2 }
    expect(await textOf(facade.fs.createReadStream(`${dir.path}/lower`, options))).toBe('2345')
  })

  it('write into the stage: new, replaced, appended, in the middle', async () => {
    const write = (name: string, options: object, ...chunks: string[]) =>
      pipeline(chunks, facade.fs.createWriteStream(`${dir.path}/${name}`, options))
    await write('new', {}, 'one', 'two')
    await write('lower', { flags: 'r+', start: 3 }, 'XYZ')
    await write('new', { flags: 'a', flush: true }, '!')
    expect(facade.fs.readFileSync(`${dir.path}/new`, 'utf8')).toBe('onetwo!')
    expect(facade.fs.readFileSync(`${dir.path}/lower`, 'utf8')).toBe('abcXYZghijklmnopqrstuvwxyz')
  })

  it('are the host classes, with new and without', async () => {
    const { ReadStream, WriteStream } = facade.fs as unknown as Record<string, new (path: string) => fs.ReadStream>
    const read = new (ReadStream as new (path: string) => fs.ReadStream)(`${dir.path}/lower`)
    const write = facade.fs.createWriteStream(`${dir.path}/made`)
    expect(read).toBeInstanceOf(fs.ReadStream)
    expect(read).toBeInstanceOf(facade.fs.ReadStream)
    expect(write).toBeInstanceOf(fs.WriteStream)
    expect(WriteStream).not.toBe(fs.WriteStream)
    for (const stream of [read, write]) await new Promise((done) => stream.once('close', done).destroy())
  })

  it('governs a constructed WriteStream like the function, for any fs option', async () => {
    const { WriteStream } = facade.fs as unknown as {
      WriteStream: new (path: string, options: object) => fs.WriteStream
    }
    await pipeline(['x'], new WriteStream(`${dir.path}/made`, { fs }))
    expect(facade.fs.readFileSync(`${dir.path}/made`, 'utf8')).toBe('x')
    expect(fs.existsSync(`${dir.path}/made`)).toBe(false)
  })

  it('stop at an abort', async () => {
    const controller = new AbortController()
    const stream = facade.fs.createReadStream(`${dir.path}/lower`, { signal: controller.signal })
    const closed = new Promise((done) => stream.once('close', done))
    controller.abort()
    await expect(textOf(stream)).rejects.toMatchObject({ name: 'AbortError' })
    await closed
  })

  it('fail with the denial when the file may not be written', async () => {
    const decide: Decide = ({ effect, asked }) =>
      effect === 'read'
        ? { verdict: 'allow' }
        : { verdict: 'deny', denial: { reason: 'scope_violation', message: 'Not yours.', file: asked } }
    const strict = createBareFacade(dir.path, decide)
    const writing = pipeline(['x'], strict.fs.createWriteStream(`${dir.path}/lower`))
    await expect(writing).rejects.toMatchObject({ code: 'EACCES', reason: 'scope_violation', syscall: 'open' })
  })

  it('copy each chunk, which the caller may reuse', async () => {
    const chunk = Buffer.from('first')
    const stream = facade.fs.createWriteStream(`${dir.path}/new`)
    await new Promise((done) => stream.write(chunk, done))
    chunk.fill('x')
    await new Promise<void>((done) => stream.end(() => done()))
    expect(facade.fs.readFileSync(`${dir.path}/new`, 'utf8')).toBe('first')
  })
})
