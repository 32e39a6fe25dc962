import fs from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type BareFacade, createBareFacade, tempDir } from '../support/facade.js'

/** The same expectations for the sync body and the async lane: only the size decides which one is used. */

let dir: { path: string; dispose(): void }
let facade: BareFacade
const SMALL = Buffer.alloc(1000, 'small')
const LARGE = Buffer.alloc(300_000, 'large')

beforeEach(() => {
  dir = tempDir()
  facade = createBareFacade(dir.path)
})
afterEach(() => dir.dispose())

const readByCallback = (path: string, options?: object) =>
  new Promise<unknown>((resolve, reject) =>
    facade.fs.readFile(path, options ?? {}, (error, data) => (error ? reject(error) : resolve(data))),
  )

describe.each([
  ['a small file, in the sync body', SMALL],
  ['a large file, in the async lane', LARGE],
])('reading %s', (_, content) => {
  beforeEach(() => {
    fs.mkdirSync(`${dir.path}/d`)
    fs.writeFileSync(`${dir.path}/d/file`, content)
    fs.symlinkSync('d/file', `${dir.path}/link`)
  })

  it('gives the same bytes by promise, callback and sync, through links too', async () => {
    for (const name of ['d/file', 'link']) {
      const path = `${dir.path}/${name}`
      expect(facade.fs.readFileSync(path)).toEqual(content)
      expect(await facade.fs.promises.readFile(path)).toEqual(content)
      expect(await facade.fs.promises.readFile(path, 'utf8')).toBe(content.toString())
      expect(await readByCallback(path, { encoding: 'hex' })).toBe(content.toString('hex'))
    }
  })

  it('reads staged content, and a renamed file only at its new name', async () => {
    facade.fs.renameSync(`${dir.path}/d`, `${dir.path}/e`)
    expect(await facade.fs.promises.readFile(`${dir.path}/e/file`)).toEqual(content)
    await expect(facade.fs.promises.readFile(`${dir.path}/d/file`)).rejects.toMatchObject({ code: 'ENOENT' })
    facade.fs.writeFileSync(`${dir.path}/e/file`, Buffer.concat([content, content]))
    expect(await facade.fs.promises.readFile(`${dir.path}/e/file`)).toEqual(Buffer.concat([content, content]))
    facade.fs.unlinkSync(`${dir.path}/e/file`)
    await expect(facade.fs.promises.readFile(`${dir.path}/e/file`)).rejects.toMatchObject({
      code: 'ENOENT',
      syscall: 'open',
      path: `${dir.path}/e/file`,
    })
  })

  it('refuses an unreadable path, and stops at an aborted signal', async () => {
    const closed = createBareFacade(dir.path, ({ path }) =>
      path === 'd/file'
        ? { verdict: 'deny', denial: { reason: 'access_denied', message: 'No.' } }
        : { verdict: 'stage' },
    )
    await expect(closed.fs.promises.readFile(`${dir.path}/d/file`)).rejects.toMatchObject({ reason: 'access_denied' })
    const controller = new AbortController()
    controller.abort()
    const options = { signal: controller.signal }
    await expect(facade.fs.promises.readFile(`${dir.path}/d/file`, options)).rejects.toMatchObject({
      name: 'AbortError',
    })
  })
})

describe('the async lane', () => {
  it('reads a large file without blocking the event loop', async () => {
    fs.writeFileSync(`${dir.path}/file`, LARGE)
    let turns = 0
    const ticking = setInterval(() => turns++, 0)
    const reading = facade.fs.promises.readFile(`${dir.path}/file`)
    let done = false
    reading.then(() => {
      done = true
    })
    await Promise.resolve()
    expect(done).toBe(false)
    await reading
    clearInterval(ticking)
  })

  it('lists a large tree in turns, with the same names', async () => {
    for (let i = 0; i < 300; i++) fs.mkdirSync(`${dir.path}/t/${i % 20}/${i}`, { recursive: true })
    facade.fs.mkdirSync(`${dir.path}/t/1/staged`)
    const names = await facade.fs.promises.readdir(`${dir.path}/t`, { recursive: true })
    expect(names.sort()).toEqual(facade.fs.readdirSync(`${dir.path}/t`, { recursive: true }).sort())
    expect(names).toContain('1/staged')
  })

  it('reads either the old or the new content during a concurrent write', async () => {
    fs.writeFileSync(`${dir.path}/file`, LARGE)
    const reading = facade.fs.promises.readFile(`${dir.path}/file`)
    const other = Buffer.alloc(200_000, 'other')
    facade.fs.writeFileSync(`${dir.path}/file`, other)
    expect([LARGE, other]).toContainEqual(await reading)
    expect(await facade.fs.promises.readFile(`${dir.path}/file`)).toEqual(other)
    expect(fs.readFileSync(`${dir.path}/file`)).toEqual(LARGE)
  })
})
