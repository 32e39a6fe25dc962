import { AsyncLocalStorage } from 'node:async_hooks'
import fs from 'node:fs'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type BareFacade, createBareFacade, tempDir } from '../support/facade.js'

/** A caller that awaits one call after the other lets timers and I/O run meanwhile. The test counts turns, not time. */

let dir: { path: string; dispose(): void }
let facade: BareFacade

beforeEach(() => {
  dir = tempDir()
  fs.writeFileSync(`${dir.path}/low`, 'lower')
  fs.mkdirSync(`${dir.path}/d/e`, { recursive: true })
  facade = createBareFacade(dir.path)
})
afterEach(() => dir.dispose())

type Loop = () => Promise<unknown>
type Maker = (api: typeof fs, path: (name: string) => string) => Loop | Promise<Loop>

const LOOPS: Record<string, Maker> = {
  'promises.stat': (api, path) => () => api.promises.stat(path('low')),
  'promises.stat of an absent file': (api, path) => () => api.promises.stat(path('absent')).catch(() => undefined),
  'promises.access': (api, path) => () => api.promises.access(path('low')),
  'promises.readFile': (api, path) => () => api.promises.readFile(path('low')),
  'promises.writeFile': (api, path) => () => api.promises.writeFile(path('made'), 'x'),
  'promises.readdir': (api, path) => () => api.promises.readdir(path('d')),
  'promises.readdir, recursive': (api, path) => () => api.promises.readdir(path('d'), { recursive: true }),
  'promises.open and close': (api, path) => async () => (await api.promises.open(path('low'))).close(),
  'FileHandle.read': async (api, path) => {
    const handle = await api.promises.open(path('low'))
    return () => handle.read(Buffer.alloc(5), 0, 5, 0)
  },
  'FileHandle.stat': async (api, path) => {
    const handle = await api.promises.open(path('low'))
    return () => handle.stat()
  },
  'FileHandle.writeFile': async (api, path) => {
    const handle = await api.promises.open(path('made'), 'w')
    return () => handle.writeFile('')
  },
  'promises.opendir and its entries': (api, path) => async () => {
    for await (const entry of await api.promises.opendir(path('d'))) expect(entry.name).toBe('e')
  },
  'promises.cp': (api, path) => () => api.promises.cp(path('low'), path('copy')),
  openAsBlob: (api, path) => () => api.openAsBlob(path('low')),
  'stat, promisified': (api, path) => () => promisify(api.stat)(path('low')),
  'exists, promisified': (api, path) => () => promisify(api.exists)(path('low')),
  'read, promisified': (api, path) => {
    const fd = api.openSync(path('low'), 'r')
    return () => promisify(api.read)(fd, { buffer: Buffer.alloc(5) })
  },
  'readFile by callback': (api, path) => () => new Promise((done) => api.readFile(path('low'), done)),
  'exists by callback': (api, path) => () => new Promise((done) => api.exists(path('low'), done)),
}

/** More results than fit into one turn; a call that waits for a turn has finished long before. */
const MANY = 100_000

describe.each(Object.entries(LOOPS))('a loop of %s', (_, make) => {
  it.each([1, 64])('lets a timer run, with %i at a time', async (beside) => {
    const call = await make(facade.fs, (name) => `${dir.path}/${name}`)
    let calls = 0
    let fired = false
    setTimeout(() => {
      fired = true
    }, 0)
    const loop = async () => {
      while (!fired && calls++ < MANY) await call()
    }
    await Promise.all(Array.from({ length: beside }, loop))
    expect(fired).toBe(true)
  })
})

describe('a stream', () => {
  it('lets timers run between its chunks', async () => {
    fs.writeFileSync(`${dir.path}/long`, Buffer.alloc(100_000))
    let turns = 0
    let chunks = 0
    const timer = setInterval(() => turns++, 0)
    for await (const chunk of facade.fs.createReadStream(`${dir.path}/long`, { highWaterMark: 100 }))
      chunks += chunk.length / 100
    clearInterval(timer)
    expect(chunks).toBe(1_000)
    expect(turns).toBeGreaterThan(1)
  })

  it('opens after the microtasks, so that a later listener misses nothing', async () => {
    const absent = facade.fs.createReadStream(`${dir.path}/absent`)
    for (let tick = 0; tick < 20; tick++) await Promise.resolve()
    await new Promise((done) => process.nextTick(done))
    expect(await new Promise((failed) => absent.once('error', failed))).toMatchObject({ code: 'ENOENT' })
  })
})

describe('answers', () => {
  it('keep the order of the calls, also when they wait for a turn', async () => {
    const order: number[] = []
    const calls = Array.from({ length: 2_000 }, (_, i) =>
      facade.fs.promises.stat(`${dir.path}/low`).then(() => order.push(i)),
    )
    await Promise.all(calls)
    expect(order).toEqual(order.toSorted((a, b) => a - b))
  })

  it('of callbacks keep the order of the calls, each after the ticks and microtasks of the one before', async () => {
    const log: string[] = []
    const call = (name: string) =>
      new Promise<void>((done) => {
        facade.fs.stat(`${dir.path}/low`, () => {
          log.push(name)
          process.nextTick(() => log.push(`tick of ${name}`))
          Promise.resolve().then(() => log.push(`microtask of ${name}`))
          setImmediate(done)
        })
        log.push(`called ${name}`)
      })
    await Promise.resolve()
    const both = [call('a'), call('b')]
    process.nextTick(() => log.push('tick'))
    Promise.resolve().then(() => log.push('microtask'))
    await Promise.all(both)
    expect(log).toEqual([
      ...['called a', 'called b', 'microtask', 'tick'],
      ...['a', 'tick of a', 'microtask of a', 'b', 'tick of b', 'microtask of b'],
    ])
  })

  it('keep the async context of their calls, also when they wait for a turn', async () => {
    const context = new AsyncLocalStorage<number>()
    const calls = Array.from({ length: 2_000 }, (_, i) =>
      context.run(i, async () => {
        await facade.fs.promises.stat(`${dir.path}/low`)
        expect(context.getStore()).toBe(i)
        return new Promise((done) => facade.fs.stat(`${dir.path}/low`, () => done(context.getStore())))
      }),
    )
    expect(await Promise.all(calls)).toEqual(calls.map((_, i) => i))
  })

  it('that fail while they wait reject once', async () => {
    const calls = Array.from({ length: 2_000 }, () => facade.fs.promises.stat(`${dir.path}/absent`))
    const settled = await Promise.allSettled(calls)
    expect(new Set(settled.map(({ status }) => status))).toEqual(new Set(['rejected']))
  })
})
