import fs from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { type BareFacade, createBareFacade, tempDir } from '../support/facade.js'

const disposers: (() => void)[] = []
afterEach(() => {
  for (const dispose of disposers.splice(0)) dispose()
})

function site(): BareFacade & { readonly root: string } {
  const { path: root, dispose } = tempDir()
  for (const name of ['a', 'b']) fs.writeFileSync(`${root}/${name}`, 'lower')
  const facade = createBareFacade(root)
  disposers.push(() => {
    facade.watches.closeAll()
    dispose()
  })
  return { ...facade, root }
}

interface Events {
  next(): Promise<IteratorResult<{ eventType: string; filename: unknown }>>
  return?(): Promise<unknown>
}

/** The iterator, after its first event was requested: now it watches. */
function begun(
  governed: typeof fs,
  path: string,
  options?: object,
): { events: Events; first: ReturnType<Events['next']> } {
  const events = governed.promises.watch(path, options)[Symbol.asyncIterator]() as Events
  return { events, first: events.next() }
}

async function failureOf(result: Promise<unknown>) {
  try {
    await result
    return undefined
  } catch (error) {
    const { name, code, message, cause } = error as NodeJS.ErrnoException
    return { name, code, message, cause }
  }
}

describe('promises.watch', () => {
  it('iterates over staged and disk changes until the loop ends', async () => {
    const at = site()
    const { events, first } = begun(at.fs, at.root)
    at.fs.writeFileSync(`${at.root}/a`, 'staged')
    expect((await first).value).toEqual({ eventType: 'change', filename: 'a' })
    const second = events.next()
    fs.writeFileSync(`${at.root}/b`, 'disk')
    expect((await second).value).toEqual({ eventType: 'change', filename: 'b' })
    await events.return?.()
    expect(at.watches.feed.idle).toBe(true)
    expect(await events.next()).toEqual({ value: undefined, done: true })
  })

  it('queues events while nobody reads', async () => {
    const at = site()
    const { events, first } = begun(at.fs, at.root)
    for (const name of ['a', 'b', 'c']) at.fs.writeFileSync(`${at.root}/${name}`, 'staged')
    const names = [
      (await first).value.filename,
      (await events.next()).value.filename,
      (await events.next()).value.filename,
    ]
    expect(names).toEqual(['a', 'b', 'c'])
  })

  it('watches nothing until the first event is requested', async () => {
    const at = site()
    const idle = at.fs.promises.watch(`${at.root}/absent`)
    expect(at.watches.feed.idle).toBe(true)
    const failure = await failureOf(idle[Symbol.asyncIterator]().next())
    expect(failure).toMatchObject({ code: 'ENOENT', message: expect.stringContaining('watch') })
  })

  it('drops events beyond the queue with a warning, or fails on request', async () => {
    const at = site()
    const warned = new Promise<Error>((resolve) => process.once('warning', resolve))
    const slow = begun(at.fs, at.root, { maxQueue: 1 })
    const strict = begun(at.fs, at.root, { maxQueue: 1, overflow: 'error' })
    for (const name of ['a', 'b', 'c']) at.fs.writeFileSync(`${at.root}/${name}`, 'staged')
    expect((await slow.first).value.filename).toBe('a')
    expect((await warned).message).toBe('fs.watch maxQueue exceeded')
    expect(await failureOf(strict.first)).toMatchObject({ code: 'ERR_FS_WATCH_QUEUE_OVERFLOW' })
  })

  it('ends when the session does', async () => {
    const at = site()
    const { first } = begun(at.fs, at.root)
    at.watches.closeAll()
    expect(await first).toEqual({ value: undefined, done: true })
  })

  it.each<[string, (root: string) => [string, object | undefined]]>([
    ['a signal aborted before', (root) => [root, { signal: AbortSignal.abort('why') }]],
    ['a signal aborted while waiting', (root) => [root, { signal: AbortSignal.timeout(1) }]],
    ['a persistent that is not a boolean', (root) => [root, { persistent: 5 }]],
    ['a recursive that is not a boolean', (root) => [root, { recursive: 5 }]],
    ['an invalid signal', (root) => [root, { signal: 5 }]],
    ['an absent path', (root) => [`${root}/absent`, undefined]],
  ])('fails as the host’s does: %s', async (_, call) => {
    const at = site()
    const outcome = async (api: typeof fs) => {
      const [path, options] = call(at.root)
      const failure = await failureOf(begun(api, path, options).first)
      return { ...failure, cause: String(failure?.cause) }
    }
    expect(await outcome(at.fs)).toEqual(await outcome(fs))
    expect((await outcome(at.fs)).code).toBeDefined()
  })
})
