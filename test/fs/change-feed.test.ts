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
    const fixture = site()
    const recorder = fixture.watch(fixture.root)
    const steps: [() => void, string][] = [
      [() => fixture.fs.writeFileSync(`${fixture.root}/new`, '1'), 'rename:new'],
      [() => fixture.fs.writeFileSync(`${fixture.root}/new`, '2'), 'change:new'],
      [() => fixture.fs.appendFileSync(`${fixture.root}/new`, '3'), 'change:new'],
      [() => fixture.fs.writeFileSync(`${fixture.root}/a`, 'over a lower file'), 'change:a'],
      [() => fixture.fs.truncateSync(`${fixture.root}/b`, 2), 'change:b'],
      [() => fixture.fs.unlinkSync(`${fixture.root}/a`), 'rename:a'],
      [() => fixture.fs.mkdirSync(`${fixture.root}/made`), 'rename:made'],
      [() => fixture.fs.rmdirSync(`${fixture.root}/made`), 'rename:made'],
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
    const fixture = site()
    const recorder = fixture.watch(fixture.root)
    fixture.fs.renameSync(`${fixture.root}/a`, `${fixture.root}/c`)
    fixture.fs.renameSync(`${fixture.root}/dir`, `${fixture.root}/moved`)
    expect(await recorder.all()).toEqual(['rename:a', 'rename:c', 'rename:dir', 'rename:moved'])
  })

  it('is reported for a file renamed over another', async () => {
    const fixture = site()
    const recorder = fixture.watch(fixture.root)
    fixture.fs.renameSync(`${fixture.root}/a`, `${fixture.root}/b`)
    expect(await recorder.all()).toEqual(['rename:a', 'rename:b'])
  })

  it('is not reported for a name that was created and removed at once, or a refused write', async () => {
    const fixture = site(({ effect, path }) =>
      effect !== 'read' && path === 'b'
        ? { verdict: 'deny', denial: { reason: 'scope_violation', message: 'No.' } }
        : { verdict: 'stage' },
    )
    const recorder = fixture.watch(fixture.root)
    fixture.fs.writeFileSync(`${fixture.root}/brief`, '')
    fixture.fs.unlinkSync(`${fixture.root}/brief`)
    expect(() => fixture.fs.writeFileSync(`${fixture.root}/b`, '')).toThrow('No.')
    expect(await recorder.all()).toEqual([])
  })

  it('is not reported for directories below', async () => {
    const fixture = site()
    const recorder = fixture.watch(fixture.root)
    fixture.fs.writeFileSync(`${fixture.root}/dir/x`, 'staged')
    fs.writeFileSync(`${fixture.root}/dir/sub/y`, 'disk')
    expect(await recorder.all()).toEqual([])
  })

  it('is reported once for each change of another program', async () => {
    const fixture = site()
    const recorder = fixture.watch(fixture.root)
    const steps: [string, string][] = [
      ["fs.writeFileSync('a', 'x'.repeat(100000))", 'change:a'],
      ["fs.writeFileSync('new', 'new')", 'rename:new'],
      ["fs.chmodSync('new', 0o600)", 'change:new'],
      ["fs.unlinkSync('new')", 'rename:new'],
    ]
    for (const [script, event] of steps) {
      const nextEvent = recorder.next(event.split(':')[1] ?? '')
      runInProcess(`process.chdir(process.argv[1]); ${script}`, fixture.root)
      await nextEvent
    }
    expect(await recorder.all()).toEqual(steps.map(([, event]) => event))
  })

  it('ignores the disk below a staged path', async () => {
    const fixture = site()
    fixture.fs.writeFileSync(`${fixture.root}/a`, 'staged')
    fixture.fs.unlinkSync(`${fixture.root}/b`)
    fixture.fs.renameSync(`${fixture.root}/dir`, `${fixture.root}/moved`)
    const recorder = fixture.watch(fixture.root)
    fs.writeFileSync(`${fixture.root}/a`, 'disk')
    fs.writeFileSync(`${fixture.root}/b`, 'disk')
    fs.chmodSync(`${fixture.root}/dir`, 0o700)
    expect(await recorder.all()).toEqual([])
  })

  it('is not reported again when a commit writes it to the disk', async () => {
    const fixture = site()
    const recorder = fixture.watch(fixture.root)
    fixture.fs.writeFileSync(`${fixture.root}/a`, 'staged')
    fixture.fs.writeFileSync(`${fixture.root}/new`, 'staged')
    fixture.fs.unlinkSync(`${fixture.root}/b`)
    expect(await recorder.all()).toEqual(['change:a', 'rename:new', 'rename:b'])
    land(fixture)
    expect(diffStage(fixture.overlay).changes).toEqual([])
    expect(await recorder.all()).toHaveLength(3)
    fs.writeFileSync(`${fixture.root}/a`, 'afterwards')
    expect((await recorder.all()).at(-1)).toBe('change:a')
  })

  it('reports a discard of staged content', async () => {
    const fixture = site()
    fixture.fs.writeFileSync(`${fixture.root}/a`, 'staged')
    fixture.fs.writeFileSync(`${fixture.root}/new`, 'staged')
    const recorder = fixture.watch(fixture.root)
    const drop = ['a', 'new'] as RelPath[]
    fixture.overlay.apply({ op: 'settle', t: '1', drop, point: [], hide: [], forget: drop, seq: 0, reviewed: 1 })
    expect(await recorder.all()).toEqual(['change:a', 'rename:new'])
  })

  it('is reported once for a write and a replacement by rename', async () => {
    const fixture = site()
    const recorder = fixture.watch(fixture.root)
    fs.writeFileSync(`${fixture.root}/a`, 'written')
    fs.writeFileSync(`${fixture.root}/dir/sub/new`, 'renamed here')
    fs.renameSync(`${fixture.root}/dir/sub/new`, `${fixture.root}/a`)
    expect(await recorder.all()).toEqual(['rename:a'])
  })

  it('is reported when reconciliation hides a name on disk', async () => {
    const fixture = site()
    const recorder = fixture.watch(fixture.root)
    const hide = ['a' as RelPath]
    fixture.overlay.apply({ op: 'settle', t: '1', drop: [], point: [], hide, forget: [], seq: 1, reviewed: 0 })
    expect(await recorder.all()).toEqual(['rename:a'])
  })
})

describe('subscribers', () => {
  it('get no earlier events', async () => {
    const fixture = site()
    const early = fixture.watch(fixture.root)
    fixture.fs.writeFileSync(`${fixture.root}/a`, 'staged')
    const late = fixture.watch(fixture.root)
    expect(await late.all()).toEqual([])
    expect(await early.all()).toEqual(['change:a'])
  })

  it('are all notified, even if a listener throws', async () => {
    const fixture = site()
    const others = process.listeners('uncaughtException')
    process.removeAllListeners('uncaughtException')
    try {
      const fault = once(process, 'uncaughtException')
      fixture.fs.watch(fixture.root, () => {
        throw new Error('of the listener')
      })
      const recorder = fixture.watch(fixture.root)
      const nextEvent = recorder.next('a')
      fixture.fs.writeFileSync(`${fixture.root}/a`, 'staged')
      await nextEvent
      expect(String((await fault)[0])).toBe('Error: of the listener')
    } finally {
      for (const each of others) process.on('uncaughtException', each)
    }
  })
})
