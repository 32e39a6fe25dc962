import { AsyncLocalStorage } from 'node:async_hooks'
import { EventEmitter, once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { recordEvents, site } from './watching.js'

describe('a watcher', () => {
  it('is an emitter with close, ref and unref, that closes once and is silent afterwards', async () => {
    const fixture = site()
    const { watcher, events } = fixture.watch(fixture.root)
    expect(watcher).toBeInstanceOf(EventEmitter)
    expect(watcher.ref()).toBe(watcher)
    expect(watcher.unref()).toBe(watcher)
    let closes = 0
    watcher.on('close', () => closes++)
    fixture.fs.writeFileSync(`${fixture.root}/a`, 'staged')
    watcher.close()
    watcher.close()
    const other = fixture.watch(fixture.root)
    fixture.fs.writeFileSync(`${fixture.root}/b`, 'staged')
    expect(await other.all()).toEqual(['change:b'])
    expect(events).toEqual([])
    expect(closes).toBe(1)
  })

  it('is closed by its signal, at once if that was already aborted', async () => {
    const fixture = site()
    const abort = new AbortController()
    const watcher = fixture.fs.watch(fixture.root, { signal: abort.signal })
    const closed = once(watcher, 'close')
    abort.abort()
    await closed
    await once(fixture.fs.watch(fixture.root, { signal: AbortSignal.abort() }), 'close')
  })

  it('gives names in the requested encoding, without ignored ones', async () => {
    const fixture = site()
    const names: unknown[] = []
    fixture.fs.watch(fixture.root, 'buffer', (_, filename) => names.push(filename))
    const hex = recordEvents(fixture.fs.watch(fixture.root, 'hex'))
    const recorder = fixture.watch(fixture.root, { ignore: ['*.log', /^tmp/, (name) => name === 'a'] })
    for (const name of ['a', 'b', 'x.log', 'tmp1']) fixture.fs.writeFileSync(`${fixture.root}/${name}`, 'staged')
    expect(await recorder.all()).toEqual(['change:b'])
    expect(names.every(Buffer.isBuffer)).toBe(true)
    expect(hex.events).toContain(`change:${Buffer.from('b').toString('hex')}`)
  })

  it('runs its listeners in its creator’s async context, not in the writer’s', async () => {
    const fixture = site()
    const context = new AsyncLocalStorage<string>()
    const store = context.run('watcher', () => {
      const watcher = fixture.fs.watch(fixture.root)
      return new Promise((resolve) => watcher.on('change', () => resolve(context.getStore())))
    })
    context.run('writer', () => fixture.fs.writeFileSync(`${fixture.root}/a`, 'staged'))
    expect(await store).toBe('watcher')
  })

  it('that another listener closes reports no more events', async () => {
    const fixture = site()
    const first = fixture.fs.watch(fixture.root, () => second.watcher.close())
    const second = fixture.watch(fixture.root)
    fixture.fs.writeFileSync(`${fixture.root}/a`, 'staged')
    await once(first, 'change')
    const third = fixture.watch(fixture.root)
    await third.all()
    expect(second.events).toEqual([])
  })
})
