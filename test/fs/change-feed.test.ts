import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { diffStage, type RelPath } from '../../overlay/index.js'
import { land, site } from './watching.js'

/** Another program changes the disk. */
function runInProcess(script: string, ...args: string[]): void {
  execFileSync(process.execPath, ['-e', `const fs = require('node:fs'); ${script}`, ...args])
}

describe('a change of a watched directory', () => {
  it('is reported once for each staged change', async () => {
    const at = site()
    const recorder = at.watch(at.root)
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
      const nextEvent = recorder.next(event.split(':')[1] ?? '')
      step()
      await nextEvent
      expected.push(event)
    }
    expect(await recorder.all()).toEqual(expected)
  })

  it('is reported at both names of a rename, of a file or directory', async () => {
    const at = site()
    const recorder = at.watch(at.root)
    at.fs.renameSync(`${at.root}/a`, `${at.root}/c`)
    at.fs.renameSync(`${at.root}/dir`, `${at.root}/moved`)
    expect(await recorder.all()).toEqual(['rename:a', 'rename:c', 'rename:dir', 'rename:moved'])
  })

  it('is reported for a file renamed over another', async () => {
    const at = site()
    const recorder = at.watch(at.root)
    at.fs.renameSync(`${at.root}/a`, `${at.root}/b`)
    expect(await recorder.all()).toEqual(['rename:a', 'rename:b'])
  })

  it('is not reported for a name that was created and removed at once, or a refused write', async () => {
    const at = site(({ effect, path }) =>
      effect !== 'read' && path === 'b'
        ? { verdict: 'deny', denial: { reason: 'scope_violation', message: 'No.' } }
        : { verdict: 'stage' },
    )
    const recorder = at.watch(at.root)
    at.fs.writeFileSync(`${at.root}/brief`, '')
    at.fs.unlinkSync(`${at.root}/brief`)
    expect(() => at.fs.writeFileSync(`${at.root}/b`, '')).toThrow('No.')
    expect(await recorder.all()).toEqual([])
  })

  it('is not reported for directories below', async () => {
    const at = site()
    const recorder = at.watch(at.root)
    at.fs.writeFileSync(`${at.root}/dir/x`, 'staged')
    fs.writeFileSync(`${at.root}/dir/sub/y`, 'disk')
    expect(await recorder.all()).toEqual([])
  })

  it('is reported once for each change of another program', async () => {
    const at = site()
    const recorder = at.watch(at.root)
    const steps: [string, string][] = [
      ["fs.writeFileSync('a', 'x'.repeat(100000))", 'change:a'],
      ["fs.writeFileSync('new', 'new')", 'rename:new'],
      ["fs.chmodSync('new', 0o600)", 'change:new'],
      ["fs.unlinkSync('new')", 'rename:new'],
    ]
    for (const [script, event] of steps) {
      const nextEvent = recorder.next(event.split(':')[1] ?? '')
      runInProcess(`process.chdir(process.argv[1]); ${script}`, at.root)
      await nextEvent
    }
    expect(await recorder.all()).toEqual(steps.map(([, event]) => event))
  })

  it('ignores the disk below a staged path', async () => {
    const at = site()
    at.fs.writeFileSync(`${at.root}/a`, 'staged')
    at.fs.unlinkSync(`${at.root}/b`)
    at.fs.renameSync(`${at.root}/dir`, `${at.root}/moved`)
    const recorder = at.watch(at.root)
    fs.writeFileSync(`${at.root}/a`, 'disk')
    fs.writeFileSync(`${at.root}/b`, 'disk')
    fs.chmodSync(`${at.root}/dir`, 0o700)
    expect(await recorder.all()).toEqual([])
  })

  it('is not reported again when a commit writes it to the disk', async () => {
    const at = site()
    const recorder = at.watch(at.root)
    at.fs.writeFileSync(`${at.root}/a`, 'staged')
    at.fs.writeFileSync(`${at.root}/new`, 'staged')
    at.fs.unlinkSync(`${at.root}/b`)
    expect(await recorder.all()).toEqual(['change:a', 'rename:new', 'rename:b'])
    land(at)
    expect(diffStage(at.overlay).changes).toEqual([])
    expect(await recorder.all()).toHaveLength(3)
    fs.writeFileSync(`${at.root}/a`, 'afterwards')
    expect((await recorder.all()).at(-1)).toBe('change:a')
  })

  it('reports a discard of staged content', async () => {
    const at = site()
    at.fs.writeFileSync(`${at.root}/a`, 'staged')
    at.fs.writeFileSync(`${at.root}/new`, 'staged')
    const recorder = at.watch(at.root)
    const drop = ['a', 'new'] as RelPath[]
    at.overlay.apply({ op: 'settle', t: '1', drop, point: [], hide: [], forget: drop, seq: 0, reviewed: 1 })
    expect(await recorder.all()).toEqual(['change:a', 'rename:new'])
  })

  it('is reported once for a write and a replacement by rename', async () => {
    const at = site()
    const recorder = at.watch(at.root)
    fs.writeFileSync(`${at.root}/a`, 'written')
    fs.writeFileSync(`${at.root}/dir/sub/new`, 'renamed here')
    fs.renameSync(`${at.root}/dir/sub/new`, `${at.root}/a`)
    expect(await recorder.all()).toEqual(['rename:a'])
  })

  it('is reported when reconciliation hides a name on disk', async () => {
    const at = site()
    const recorder = at.watch(at.root)
    const hide = ['a' as RelPath]
    at.overlay.apply({ op: 'settle', t: '1', drop: [], point: [], hide, forget: [], seq: 1, reviewed: 0 })
    expect(await recorder.all()).toEqual(['rename:a'])
  })
})

describe('subscribers', () => {
  it('get no earlier events', async () => {
    const at = site()
    const early = at.watch(at.root)
    at.fs.writeFileSync(`${at.root}/a`, 'staged')
    const late = at.watch(at.root)
    expect(await late.all()).toEqual([])
    expect(await early.all()).toEqual(['change:a'])
  })

  it('are all notified, even if a listener throws', async () => {
    const at = site()
    const others = process.listeners('uncaughtException')
    process.removeAllListeners('uncaughtException')
    try {
      const fault = once(process, 'uncaughtException')
      at.fs.watch(at.root, () => {
        throw new Error('of the listener')
      })
      const recorder = at.watch(at.root)
      const nextEvent = recorder.next('a')
      at.fs.writeFileSync(`${at.root}/a`, 'staged')
      await nextEvent
      expect(String((await fault)[0])).toBe('Error: of the listener')
    } finally {
      for (const each of others) process.on('uncaughtException', each)
    }
  })
})
