import { EventEmitter, once } from 'node:events'
import fs from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { diffStage, type RelPath } from '../../overlay/index.js'
import type { Decide } from '../../src/core/decision.js'
import { type BareFacade, createBareFacade, tempDir } from '../support/facade.js'
import { type ListenerCall, recordCalls } from './watching.js'

const disposers: (() => void)[] = []
afterEach(() => {
  for (const dispose of disposers.splice(0)) dispose()
})

interface Site extends BareFacade {
  readonly root: string
  readonly file: string
}

function site(decide?: Decide): Site {
  const { path: root, dispose } = tempDir()
  fs.writeFileSync(`${root}/a`, 'lower')
  const facade = createBareFacade(root, decide)
  disposers.push(() => {
    facade.watches.closeAll()
    dispose()
  })
  return { ...facade, root, file: `${root}/a` }
}

const QUICK = { interval: 5 }

function recordWatch({ fs: governed, file }: Site, path = file) {
  const recorder = recordCalls()
  governed.watchFile(path, QUICK, recorder.listener)
  return recorder
}

/** Two more changes were reported, so every earlier one would have been. */
async function waitForProbes(fixture: Site, recorder: { next(): Promise<ListenerCall> }): Promise<void> {
  for (const content of ['probe', 'another probe']) {
    const nextCall = recorder.next()
    fixture.fs.writeFileSync(fixture.file, content)
    await nextCall
  }
}

describe('watchFile', () => {
  it('reports a staged and a disk change, once each, with the stats before and after', async () => {
    const fixture = site()
    const recorder = recordWatch(fixture)
    let nextCall = recorder.next()
    fs.writeFileSync(fixture.file, 'disk!!')
    expect(await nextCall).toMatchObject([{ size: 6 }, { size: 5 }])
    nextCall = recorder.next()
    fixture.fs.writeFileSync(fixture.file, 'staged!')
    const [current, previous] = await nextCall
    expect([current.size, previous.size]).toEqual([7, 6])
    expect(current).toBeInstanceOf(fs.Stats)
    await waitForProbes(fixture, recorder)
    expect(recorder.calls).toHaveLength(4)
  })

  it('notices a write of the same length within the same millisecond', async () => {
    const fixture = site()
    fixture.fs.writeFileSync(fixture.file, 'one')
    const recorder = recordWatch(fixture)
    const nextCall = recorder.next()
    fixture.fs.writeFileSync(fixture.file, 'two')
    expect(await nextCall).toMatchObject([{ size: 3 }, { size: 3 }])
  })

  it('ignores the disk below a staged path', async () => {
    const fixture = site()
    fixture.fs.writeFileSync(fixture.file, 'staged')
    const recorder = recordWatch(fixture)
    fs.writeFileSync(fixture.file, 'disk, not seen')
    await waitForProbes(fixture, recorder)
    expect(recorder.calls.map(([{ size }]) => size)).toEqual([5, 13])
  })

  it('reports nothing when a commit writes what was staged', async () => {
    const fixture = site()
    fixture.fs.writeFileSync(fixture.file, 'staged')
    const recorder = recordWatch(fixture)
    const neighbour = recordWatch(fixture, `${fixture.root}/beside`)
    await neighbour.next()
    fs.writeFileSync(fixture.file, 'staged', { mode: fixture.fs.statSync(fixture.file).mode & 0o777 })
    const drop = ['a' as RelPath]
    fixture.overlay.apply({ op: 'settle', t: '1', drop, point: [], hide: [], forget: drop, seq: 1, reviewed: 0 })
    expect(diffStage(fixture.overlay).changes).toEqual([])
    // Both are polled in the same interval: between two reports of the neighbour's changes this file was polled too.
    for (const content of ['1', '22']) {
      const nextCall = neighbour.next()
      fs.writeFileSync(`${fixture.root}/beside`, content)
      await nextCall
    }
    expect(recorder.calls).toEqual([])
    const nextCall = recorder.next()
    fs.writeFileSync(fixture.file, 'disk afterwards')
    expect(await nextCall).toMatchObject([{ size: 15 }, { size: 6 }])
  })

  it('reports a discard of staged content', async () => {
    const fixture = site()
    fixture.fs.writeFileSync(fixture.file, 'staged!!')
    const recorder = recordWatch(fixture)
    const nextCall = recorder.next()
    const drop = ['a' as RelPath]
    fixture.overlay.apply({ op: 'settle', t: '1', drop, point: [], hide: [], forget: drop, seq: 0, reviewed: 1 })
    expect(await nextCall).toMatchObject([{ size: 5 }, { size: 8 }])
  })

  it('reports removal and return as the host does: zeros, and the last stats', async () => {
    const fixture = site()
    const steps: ((api: typeof fs, path: string) => void)[] = [
      (api, path) => api.unlinkSync(path),
      (api, path) => api.writeFileSync(path, 'back again'),
    ]
    const outcome = async (api: typeof fs, path: string) => {
      const recorder = recordCalls()
      const sizes: unknown[] = []
      api.watchFile(path, QUICK, recorder.listener)
      // The host polls for the first time on its own, after the call.
      for (let i = 0; i < 20; i++) await fs.promises.stat(path)
      for (const step of steps) {
        const nextCall = recorder.next()
        step(api, path)
        const [current, previous] = await nextCall
        sizes.push([current.size, current.nlink, current.mtimeMs > 0, previous.size])
      }
      api.unwatchFile(path)
      return sizes
    }
    fs.writeFileSync(`${fixture.root}/b`, 'lower')
    expect(await outcome(fixture.fs, fixture.file)).toEqual(await outcome(fs, `${fixture.root}/b`))
  })

  it.each([false, true])('reports an absent path at once, with zeros only (bigint: %s)', async (bigint) => {
    const fixture = site()
    const absent = (api: typeof fs) =>
      new Promise<string>((resolve) => {
        const path = `${fixture.root}/absent`
        const listener = (...stats: (fs.Stats | fs.BigIntStats)[]) => {
          api.unwatchFile(path)
          resolve(stats.map((each) => `${each.constructor.name} ${values(each)}`).join('\n'))
        }
        if (bigint) api.watchFile(path, { ...QUICK, bigint: true }, listener)
        else api.watchFile(path, QUICK, listener)
      })
    expect(await absent(fixture.fs)).toBe(await absent(fs))
  })

  it('gives bigint stats on request', async () => {
    const fixture = site()
    const nextCall = new Promise<bigint>((resolve) => {
      fixture.fs.watchFile(fixture.file, { interval: 5, bigint: true }, (current) => resolve(current.size))
    })
    fixture.fs.writeFileSync(fixture.file, 'longer than it was')
    expect(await nextCall).toBe(18n)
  })

  it('treats a hidden path as absent, through all its changes', async () => {
    const fixture = site(({ effect, path }) =>
      effect === 'read' && path === 'a'
        ? { verdict: 'deny', denial: { reason: 'hidden', message: 'Hidden.' } }
        : { verdict: 'stage' },
    )
    const recorder = recordWatch(fixture)
    const neighbour = recordWatch(fixture, `${fixture.root}/b`)
    await Promise.all([recorder.next(), neighbour.next()])
    fs.writeFileSync(fixture.file, 'secret')
    fixture.fs.writeFileSync(fixture.file, 'staged secret')
    for (const content of ['1', '22']) {
      const nextCall = neighbour.next()
      fs.writeFileSync(`${fixture.root}/b`, content)
      await nextCall
    }
    expect(recorder.calls.map(([current]) => current.size)).toEqual([0])
  })

  it('follows a link on each poll', async () => {
    const fixture = site()
    fixture.fs.writeFileSync(`${fixture.root}/longer`, 'more than lower')
    fs.symlinkSync('a', `${fixture.root}/link`)
    const recorder = recordWatch(fixture, `${fixture.root}/link`)
    const nextCall = recorder.next()
    fs.unlinkSync(`${fixture.root}/link`)
    fs.symlinkSync('longer', `${fixture.root}/link`)
    expect(await nextCall).toMatchObject([{ size: 15 }, { size: 5 }])
  })

  it('gives one emitter for each path, and resolves a relative path from the root', () => {
    const fixture = site()
    const first = fixture.fs.watchFile(fixture.file, QUICK, recordCalls().listener)
    const second = fixture.fs.watchFile('a', recordCalls().listener)
    expect(first).toBe(second)
    expect(first).toBeInstanceOf(EventEmitter)
    expect(first.unref()).toBe(first)
    expect(first.ref()).toBe(first)
    expect(fixture.watches.polls.size).toBe(1)
  })

  it.each([
    ['no listener', []],
    ['options and no listener', [{ interval: 5 }]],
    ['an interval that is not a number', [{ interval: 'x' }, recordCalls().listener]],
    ['a negative interval', [{ interval: -1 }, recordCalls().listener]],
  ])('fails as the host’s does: %s', (_, args) => {
    const fixture = site()
    const failure = (api: typeof fs) => {
      try {
        Reflect.apply(api.watchFile, api, [`${fixture.root}/none`, ...args])
        return undefined
      } catch (error) {
        const { name, code } = error as NodeJS.ErrnoException
        return { name, code }
      } finally {
        api.unwatchFile(`${fixture.root}/none`)
      }
    }
    expect(failure(fixture.fs)).toEqual(failure(fs))
    expect(failure(fixture.fs)).toBeDefined()
  })
})

describe('unwatchFile', () => {
  it('removes one listener, and ends the watcher with the last', async () => {
    const fixture = site()
    const [one, other] = [recordCalls(), recordCalls()]
    fixture.fs.watchFile(fixture.file, QUICK, one.listener)
    const watcher = fixture.fs.watchFile(fixture.file, QUICK, other.listener)
    fixture.fs.unwatchFile(fixture.file, one.listener)
    const nextCall = other.next()
    fixture.fs.writeFileSync(fixture.file, 'staged')
    await nextCall
    expect(one.calls).toEqual([])
    const stopped = once(watcher, 'stop')
    fixture.fs.unwatchFile(fixture.file, other.listener)
    await stopped
    expect(fixture.watches.polls.size).toBe(0)
  })

  it('is ended by the session', async () => {
    const fixture = site()
    const stopped = once(
      fixture.fs.watchFile(fixture.file, QUICK, () => undefined),
      'stop',
    )
    fixture.watches.closeAll()
    await stopped
    expect(fixture.watches.polls.size).toBe(0)
  })

  it('removes all listeners without an argument, and ignores an unwatched path', () => {
    const fixture = site()
    fixture.fs.watchFile(fixture.file, QUICK, () => undefined)
    fixture.fs.watchFile(fixture.file, QUICK, () => undefined)
    fixture.fs.unwatchFile(`${fixture.root}/none`)
    expect(fixture.watches.polls.size).toBe(1)
    fixture.fs.unwatchFile(fixture.file)
    expect(fixture.watches.polls.size).toBe(0)
  })
})

function values(stats: fs.Stats | fs.BigIntStats): string {
  const names = ['dev', 'mode', 'nlink', 'uid', 'gid', 'rdev', 'blksize', 'ino', 'size', 'blocks', 'atimeMs', 'mtimeNs']
  const dates = [stats.atime, stats.mtime, stats.ctime, stats.birthtime].map((date) => date.getTime())
  return [...names.map((name) => `${name}=${String(Reflect.get(stats, name))}`), ...dates].join(' ')
}
