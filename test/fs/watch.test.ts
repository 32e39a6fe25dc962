import { AsyncLocalStorage } from 'node:async_hooks'
import { execFileSync } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import fs from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { sameState } from '../../overlay/change.js'
import { diffStage, mergedState, settleLanded, tidy } from '../../overlay/index.js'
import type { RelPath } from '../../overlay/path.js'
import type { Decide } from '../../src/core/decision.js'
import { type BareFacade, bareFacade, tempDir } from '../support/facade.js'
import { recorded, settled, type Told } from './watching.js'

const disposers: (() => void)[] = []
afterEach(() => {
  for (const dispose of disposers.splice(0)) dispose()
})

interface Site extends BareFacade {
  readonly root: string
  /** What is told of `path`, and what was told when all was. */
  watch(path: string, options?: fs.WatchOptionsWithStringEncoding): Told & { readonly watcher: fs.FSWatcher; all(): Promise<string[]> }
}

function site(decide?: Decide): Site {
  const { path: root, dispose } = tempDir()
  fs.mkdirSync(`${root}/dir/sub`, { recursive: true })
  for (const name of ['a', 'b', 'dir/x', 'dir/sub/y', 'probe', 'dir/probe'])
    fs.writeFileSync(`${root}/${name}`, 'lower')
  const facade = bareFacade(root, decide)
  disposers.push(() => {
    facade.watches.closeAll()
    dispose()
  })
  return {
    ...facade,
    root,
    watch(path, options = {}) {
      const watcher = facade.fs.watch(path, options)
      const told = recorded(watcher)
      const probe = fs.statSync(path).isDirectory() ? `${path}/probe` : `${root}/probe`
      return { ...told, watcher, all: () => settled(told, (round) => fs.writeFileSync(probe, round)) }
    },
  }
}

/** Another program changes the disk. */
function elsewhere(script: string, ...args: string[]): void {
  execFileSync(process.execPath, ['-e', `const fs = require('node:fs'); ${script}`, ...args])
}

/** The disk gets everything staged, and the stage lets go of it, as a commit and its settling do. */
function land({ overlay, fs: staged, root }: Site): void {
  const { changes } = diffStage(overlay)
  const landed = changes.map(({ path, after }) => {
    if (after === null) fs.rmSync(`${root}/${path}`)
    else {
      fs.writeFileSync(`${root}/.landing`, staged.readFileSync(`${root}/${path}`), { mode: after.mode })
      fs.renameSync(`${root}/.landing`, `${root}/${path}`)
    }
    return { path, after, own: true }
  })
  for (const settle of [settleLanded(overlay, landed), tidy(overlay)])
    overlay.apply({ op: 'settle', t: String(Date.now() * 1e6), ...settle, seq: 1, reviewed: 0 })
  expect(landed.every(({ path, after }) => sameState(mergedState(overlay, path), after))).toBe(true)
  expect(diffStage(overlay).changes).toEqual([])
}

describe('watching a directory', () => {
  it('tells once of each staged change', async () => {
    const at = site()
    const told = at.watch(at.root)
    const steps: [() => void, string][] = [
      [() => at.fs.writeFileSync(`${at.root}/new`, '1'), 'rename:new'],
      [() => at.fs.writeFileSync(`${at.root}/new`, '2'), 'change:new'],
      [() => at.fs.appendFileSync(`${at.root}/new`, '3'), 'change:new'],
      [() => at.fs.writeFileSync(`${at.root}/a`, 'over a lower file'), 'change:a'],
      [() => at.fs.truncateSync(`${at.root}/b`, 2), 'change:b'],
      [() => at.fs.unlinkSync(`${at.root}/a`), 'rename:a'],
      [() => at.fs.mkdirSync(`${at.root}/made`), 'rename:made'],
      [() => at.fs.rmdirSync(`${at.root}/made`), 'rename:made'],
    ]
    const expected: string[] = []
    for (const [step, event] of steps) {
      const heard = told.next(event.split(':')[1] ?? '')
      step()
      await heard
      expected.push(event)
    }
    expect(await told.all()).toEqual(expected)
  })

  it('tells of a rename at both its names, whether file or directory', async () => {
    const at = site()
    const told = at.watch(at.root)
    at.fs.renameSync(`${at.root}/a`, `${at.root}/c`)
    at.fs.renameSync(`${at.root}/dir`, `${at.root}/moved`)
    expect(await told.all()).toEqual(['rename:a', 'rename:c', 'rename:dir', 'rename:moved'])
  })

  it('tells of a file renamed over another', async () => {
    const at = site()
    const told = at.watch(at.root)
    at.fs.renameSync(`${at.root}/a`, `${at.root}/b`)
    expect(await told.all()).toEqual(['rename:a', 'rename:b'])
  })

  it('tells of nothing where a name came and went at once, and where a write was refused', async () => {
    const at = site(({ effect, path }) =>
      effect !== 'read' && path === 'b'
        ? { verdict: 'deny', denial: { reason: 'scope_violation', message: 'No.' } }
        : { verdict: 'stage' },
    )
    const told = at.watch(at.root)
    at.fs.writeFileSync(`${at.root}/brief`, '')
    at.fs.unlinkSync(`${at.root}/brief`)
    expect(() => at.fs.writeFileSync(`${at.root}/b`, '')).toThrow('No.')
    expect(await told.all()).toEqual([])
  })

  it('tells nothing of directories below', async () => {
    const at = site()
    const told = at.watch(at.root)
    at.fs.writeFileSync(`${at.root}/dir/x`, 'staged')
    fs.writeFileSync(`${at.root}/dir/sub/y`, 'disk')
    expect(await told.all()).toEqual([])
  })

  it('tells once of each change another program makes', async () => {
    const at = site()
    const told = at.watch(at.root)
    const steps: [string, string][] = [
      ["fs.writeFileSync('a', 'x'.repeat(100000))", 'change:a'],
      ["fs.writeFileSync('new', 'new')", 'rename:new'],
      ["fs.chmodSync('new', 0o600)", 'change:new'],
      ["fs.unlinkSync('new')", 'rename:new'],
    ]
    for (const [script, event] of steps) {
      const heard = told.next(event.split(':')[1] ?? '')
      elsewhere(`process.chdir(process.argv[1]); ${script}`, at.root)
      await heard
    }
    expect(await told.all()).toEqual(steps.map(([, event]) => event))
  })

  it('is silent about the disk where the stage speaks', async () => {
    const at = site()
    at.fs.writeFileSync(`${at.root}/a`, 'staged')
    at.fs.unlinkSync(`${at.root}/b`)
    at.fs.renameSync(`${at.root}/dir`, `${at.root}/moved`)
    const told = at.watch(at.root)
    fs.writeFileSync(`${at.root}/a`, 'disk')
    fs.writeFileSync(`${at.root}/b`, 'disk')
    fs.chmodSync(`${at.root}/dir`, 0o700)
    expect(await told.all()).toEqual([])
  })

  it('tells of the disk below a renamed directory, by the name that shows', async () => {
    const at = site()
    at.fs.renameSync(`${at.root}/dir`, `${at.root}/moved`)
    const told = recorded(at.fs.watch(`${at.root}/moved`))
    const probe = (round: string) => fs.writeFileSync(`${at.root}/dir/probe`, round)
    fs.writeFileSync(`${at.root}/dir/x`, 'disk')
    expect(await settled(told, probe)).toEqual(['change:x'])
  })

  it('does not tell again what was staged when a commit brings it to the disk', async () => {
    const at = site()
    const told = at.watch(at.root)
    at.fs.writeFileSync(`${at.root}/a`, 'staged')
    at.fs.writeFileSync(`${at.root}/new`, 'staged')
    at.fs.unlinkSync(`${at.root}/b`)
    expect(await told.all()).toEqual(['change:a', 'rename:new', 'rename:b'])
    land(at)
    expect((await told.all()).filter((event) => !event.endsWith('.landing'))).toHaveLength(3)
    fs.writeFileSync(`${at.root}/a`, 'afterwards')
    expect((await told.all()).at(-1)).toBe('change:a')
  })

  it('tells when what was staged is thrown away', async () => {
    const at = site()
    at.fs.writeFileSync(`${at.root}/a`, 'staged')
    at.fs.writeFileSync(`${at.root}/new`, 'staged')
    const told = at.watch(at.root)
    const drop = ['a', 'new'] as RelPath[]
    at.overlay.apply({ op: 'settle', t: '1', drop, point: [], hide: [], forget: drop, seq: 0, reviewed: 1 })
    expect(await told.all()).toEqual(['change:a', 'rename:new'])
  })

  it('tells that it is gone itself', async () => {
    const at = site()
    const staged = recorded(at.fs.watch(`${at.root}/dir/sub`))
    const heard = staged.next('sub')
    at.fs.rmSync(`${at.root}/dir/sub`, { recursive: true })
    await heard
    expect(staged.events).toEqual(['rename:y', 'rename:sub'])
    const disk = recorded(at.fs.watch(`${at.root}/dir`))
    const gone = disk.next('dir')
    fs.rmSync(`${at.root}/dir`, { recursive: true })
    await gone
    expect(disk.events.at(-1)).toBe('rename:dir')
  })
})

describe('watching a file', () => {
  it('tells of staged and disk changes, and not of its neighbours', async () => {
    const at = site()
    const told = recorded(at.fs.watch(`${at.root}/a`))
    const probe = (round: string) => fs.writeFileSync(`${at.root}/a`, round)
    fs.writeFileSync(`${at.root}/b`, 'neighbour')
    at.fs.writeFileSync(`${at.root}/c`, 'neighbour')
    await settled(told, probe, 'a')
    expect(told.events).toEqual(['change:a', 'change:a'])
    const heard = told.next('a')
    at.fs.writeFileSync(`${at.root}/a`, 'staged')
    await heard
    expect(told.events).toHaveLength(3)
  })

  it('goes on when the file is replaced by rename, as editors save', async () => {
    const at = site()
    const told = recorded(at.fs.watch(`${at.root}/a`))
    for (const content of ['one', 'two']) {
      const heard = told.next('a')
      fs.writeFileSync(`${at.root}/temporary`, content)
      fs.renameSync(`${at.root}/temporary`, `${at.root}/a`)
      await heard
    }
    expect(told.events).toEqual(['rename:a', 'rename:a'])
  })

  it('works on a file that is only staged, before and after it lands', async () => {
    const at = site()
    at.fs.mkdirSync(`${at.root}/fresh`)
    at.fs.writeFileSync(`${at.root}/fresh/file`, '1')
    const told = recorded(at.fs.watch(`${at.root}/fresh/file`))
    const staged = told.next('file')
    at.fs.writeFileSync(`${at.root}/fresh/file`, '2')
    await staged
    fs.mkdirSync(`${at.root}/fresh`, { mode: at.fs.statSync(`${at.root}/fresh`).mode & 0o777 })
    land(at)
    // The stage is looked over when the turn of the loop ends; then the directory on disk is watched.
    await new Promise((resolve) => setImmediate(resolve))
    const disk = told.next('file')
    fs.writeFileSync(`${at.root}/fresh/file`, '3')
    await disk
    expect(told.events).toEqual(['change:file', 'change:file'])
  })

  it('is named as it was asked for, through a link too', async () => {
    const at = site()
    fs.symlinkSync('a', `${at.root}/link`)
    const told = recorded(at.fs.watch(`${at.root}/link`))
    const heard = told.next('link')
    at.fs.writeFileSync(`${at.root}/a`, 'staged')
    await heard
    expect(told.events).toEqual(['change:link'])
  })
})

describe('watching a tree', () => {
  it('tells of every depth, relative to the top', async () => {
    const at = site()
    const told = at.watch(at.root, { recursive: true })
    at.fs.writeFileSync(`${at.root}/dir/sub/y`, 'staged')
    fs.writeFileSync(`${at.root}/dir/x`, 'disk')
    at.fs.mkdirSync(`${at.root}/p/q`, { recursive: true })
    expect((await told.all()).sort()).toEqual(['change:dir/sub/y', 'change:dir/x', 'rename:p', 'rename:p/q'])
  })

  it('takes in directories that appear on disk, with what is in them already', async () => {
    const at = site()
    const told = at.watch(at.root, { recursive: true })
    fs.mkdirSync(`${at.root}/p/q`, { recursive: true })
    fs.writeFileSync(`${at.root}/p/q/r`, '1')
    expect((await told.all()).sort()).toEqual(['rename:p', 'rename:p/q', 'rename:p/q/r'])
    fs.writeFileSync(`${at.root}/p/q/r`, '22')
    expect((await told.all()).at(-1)).toBe('change:p/q/r')
  })

  it('follows a renamed directory', async () => {
    const at = site()
    const told = at.watch(at.root, { recursive: true })
    at.fs.renameSync(`${at.root}/dir`, `${at.root}/moved`)
    expect(await told.all()).toEqual(['rename:dir', 'rename:moved'])
    fs.writeFileSync(`${at.root}/dir/sub/y`, 'disk')
    expect((await told.all()).slice(2)).toEqual(['change:moved/sub/y'])
  })

  it('never tells of a hidden path, staged or on disk, nor looks into a hidden directory', async () => {
    const hidden = /^(secret|dir)(\/|$)/
    const at = site(({ effect, path }) =>
      effect === 'read' && hidden.test(path)
        ? { verdict: 'deny', denial: { reason: 'hidden', message: 'Hidden.' } }
        : { verdict: 'stage' },
    )
    const told = at.watch(at.root, { recursive: true })
    at.fs.writeFileSync(`${at.root}/secret`, 'staged')
    fs.writeFileSync(`${at.root}/dir/x`, 'disk')
    fs.mkdirSync(`${at.root}/dir/more`)
    expect(await told.all()).toEqual([])
    expect(() => at.fs.watch(`${at.root}/dir`)).toThrow(/^ENOENT/)
  })
})

describe('a watcher', () => {
  it('is an emitter with close, ref and unref, told of its closing once, and silent afterwards', async () => {
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

  it('that is opened late hears nothing of what came before', async () => {
    const at = site()
    const early = at.watch(at.root)
    at.fs.writeFileSync(`${at.root}/a`, 'staged')
    const late = at.watch(at.root)
    expect(await late.all()).toEqual([])
    expect(await early.all()).toEqual(['change:a'])
  })

  it('is closed by its signal, at once where that was aborted before', async () => {
    const at = site()
    const abort = new AbortController()
    const watcher = at.fs.watch(at.root, { signal: abort.signal })
    const closed = once(watcher, 'close')
    abort.abort()
    await closed
    await once(at.fs.watch(at.root, { signal: AbortSignal.abort() }), 'close')
  })

  it('gives names in the encoding asked for, and leaves out what is ignored', async () => {
    const at = site()
    const names: unknown[] = []
    at.fs.watch(at.root, 'buffer', (_, filename) => names.push(filename))
    const hex = recorded(at.fs.watch(at.root, 'hex'))
    const told = at.watch(at.root, { ignore: ['*.log', /^tmp/, (name) => name === 'a'] })
    for (const name of ['a', 'b', 'x.log', 'tmp1']) at.fs.writeFileSync(`${at.root}/${name}`, 'staged')
    expect(await told.all()).toEqual(['change:b'])
    expect(names.every(Buffer.isBuffer)).toBe(true)
    expect(hex.events).toContain(`change:${Buffer.from('b').toString('hex')}`)
  })

  it('runs its listeners in the context it was made in, not in the writer’s', async () => {
    const at = site()
    const context = new AsyncLocalStorage<string>()
    const seen = context.run('watcher', () => {
      const watcher = at.fs.watch(at.root)
      return new Promise((resolve) => watcher.on('change', () => resolve(context.getStore())))
    })
    context.run('writer', () => at.fs.writeFileSync(`${at.root}/a`, 'staged'))
    expect(await seen).toBe('watcher')
  })

  it('whose listener throws keeps no other from being told', async () => {
    const at = site()
    const others = process.listeners('uncaughtException')
    process.removeAllListeners('uncaughtException')
    try {
      const fault = once(process, 'uncaughtException')
      at.fs.watch(at.root, () => {
        throw new Error('of the listener')
      })
      const told = at.watch(at.root)
      const heard = told.next('a')
      at.fs.writeFileSync(`${at.root}/a`, 'staged')
      await heard
      expect(String((await fault)[0])).toBe('Error: of the listener')
    } finally {
      for (const each of others) process.on('uncaughtException', each)
    }
  })

  it('watches outside the workspace by the host', async () => {
    const at = site()
    const outside = tempDir()
    disposers.push(outside.dispose)
    fs.writeFileSync(`${outside.path}/f`, '')
    const told = recorded(at.fs.watch(outside.path))
    const heard = told.next('f')
    fs.writeFileSync(`${outside.path}/f`, 'disk')
    await heard
    expect(told.events[0]).toBe('change:f')
  })
})

describe('a call of watch', () => {
  const bad: [string, unknown[]][] = [
    ['a number for a path', [5]],
    ['a listener that is no function', ['<root>', {}, 5]],
    ['an unknown encoding', ['<root>', { encoding: 'nonsense' }]],
    ['a signal that is none', ['<root>', { signal: 5 }]],
    ['a recursive that is no boolean', ['<root>', { recursive: 5 }]],
    ['options that are none', ['<root>', 5]],
  ]
  it.each(bad)('fails as the host’s does: %s', (_, args) => {
    const at = site()
    const failure = (api: typeof fs) => {
      try {
        Reflect.apply(
          api.watch,
          api,
          args.map((arg) => (arg === '<root>' ? at.root : arg)),
        )
      } catch (error) {
        const { name, code, message } = error as NodeJS.ErrnoException
        return { name, code, message }
      }
      return undefined
    }
    expect(failure(fs)).toBeDefined()
    expect(failure(at.fs)).toEqual(failure(fs))
  })

  it('fails for an absent path in the host’s shape, for a staged deletion too', () => {
    const at = site()
    at.fs.unlinkSync(`${at.root}/a`)
    const failure = (api: typeof fs, path: string) => {
      try {
        api.watch(path)
        return undefined
      } catch (error) {
        return { ...(error as object), message: String(error) }
      }
    }
    expect(failure(at.fs, `${at.root}/absent`)).toEqual(failure(fs, `${at.root}/absent`))
    expect(failure(at.fs, `${at.root}/a`)).toMatchObject({ code: 'ENOENT', syscall: 'watch', filename: `${at.root}/a` })
    expect(at.watches.feed.idle).toBe(true)
  })
})
