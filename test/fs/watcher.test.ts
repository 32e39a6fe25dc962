import { AsyncLocalStorage } from 'node:async_hooks'
import { EventEmitter, once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { recordEvents, site } from './watching.js'

describe('a watcher', () => {
  it('is an emitter with close, ref and unref, that closes once and is silent afterwards', async () => {
    const at = site()
    const { watcher, events } = at.watch(at.root)
    expect(watcher).toBeInstanceOf(EventEmitter)
    expect(watcher.ref()).toBe(watcher)
    expect(watcher.unref()).toBe(watcher)
    let closes = 0
    watcher.on('close', () => closes++)
    at.fs.writeFileSync(`${at.root}/a`, 'staged')
    watcher.close()
    watcher.close()
    const other = at.watch(at.root)
    at.fs.writeFileSync(`${at.root}/b`, 'staged')
    expect(await other.all()).toEqual(['change:b'])
    expect(events).toEqual([])
    expect(closes).toBe(1)
  })

  it('is closed by its signal, at once if that was already aborted', async () => {
    const at = site()
    const abort = new AbortController()
    const watcher = at.fs.watch(at.root, { signal: abort.signal })
    const closed = once(watcher, 'close')
    abort.abort()
    await closed
    await once(at.fs.watch(at.root, { signal: AbortSignal.abort() }), 'close')
  })

  it('gives names in the requested encoding, without ignored ones', async () => {
    const at = site()
    const names: unknown[] = []
    at.fs.watch(at.root, 'buffer', (_, filename) => names.push(filename))
    const hex = recordEvents(at.fs.watch(at.root, 'hex'))
    const recorder = at.watch(at.root, { ignore: ['*.log', /^tmp/, (name) => name === 'a'] })
    for (const name of ['a', 'b', 'x.log', 'tmp1']) at.fs.writeFileSync(`${at.root}/${name}`, 'staged')
    expect(await recorder.all()).toEqual(['change:b'])
    expect(names.every(Buffer.isBuffer)).toBe(true)
    expect(hex.events).toContain(`change:${Buffer.from('b').toString('hex')}`)
  })

  it('runs its listeners in its creator’s async context, not in the writer’s', async () => {
    const at = site()
    const context = new AsyncLocalStorage<string>()
    const store = context.run('watcher', () => {
      const watcher = at.fs.watch(at.root)
      return new Promise((resolve) => watcher.on('change', () => resolve(context.getStore())))
    })
    context.run('writer', () => at.fs.writeFileSync(`${at.root}/a`, 'staged'))
    expect(await store).toBe('watcher')
  })

  it('that another listener closes reports no more events', async () => {
    const at = site()
    const first = at.fs.watch(at.root, () => second.watcher.close())
    const second = at.watch(at.root)
    at.fs.writeFileSync(`${at.root}/a`, 'staged')
    await once(first, 'change')
    const third = at.watch(at.root)
    await third.all()
    expect(second.events).toEqual([])
  })
})
