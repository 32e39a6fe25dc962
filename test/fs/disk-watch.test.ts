import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { hideReads, recordEvents, site, waitForEvents } from './watching.js'

describe('a directory', () => {
  it('reports the disk below a renamed directory, by the new name', async () => {
    const fixture = site()
    fixture.fs.renameSync(`${fixture.root}/dir`, `${fixture.root}/moved`)
    const recorder = recordEvents(fixture.fs.watch(`${fixture.root}/moved`))
    const probe = (round: string) => fs.writeFileSync(`${fixture.root}/dir/probe`, round)
    fs.writeFileSync(`${fixture.root}/dir/x`, 'disk')
    expect(await waitForEvents(recorder, probe)).toEqual(['change:x'])
  })

  it('reports its own removal', async () => {
    const fixture = site()
    const staged = recordEvents(fixture.fs.watch(`${fixture.root}/dir/sub`))
    const nextEvent = staged.next('sub')
    fixture.fs.rmSync(`${fixture.root}/dir/sub`, { recursive: true })
    await nextEvent
    expect(staged.events).toEqual(['rename:probe', 'rename:y', 'rename:sub'])
    const disk = recordEvents(fixture.fs.watch(`${fixture.root}/dir`))
    const gone = disk.next('dir')
    fs.rmSync(`${fixture.root}/dir`, { recursive: true })
    await gone
    expect(disk.events.at(-1)).toBe('rename:dir')
  })

  it('distinguishes its own changes from those of a child with the same name', async () => {
    const fixture = site()
    fs.writeFileSync(`${fixture.root}/dir/dir`, 'of its own name')
    const recorder = fixture.watch(`${fixture.root}/dir`)
    fs.unlinkSync(`${fixture.root}/dir/dir`)
    expect(await recorder.all()).toEqual(['rename:dir'])
    fs.chmodSync(`${fixture.root}/dir`, 0o700)
    expect((await recorder.all()).slice(1)).toEqual(['change:dir'])
    fs.writeFileSync(`${fixture.root}/dir/dir`, 'there again')
    expect((await recorder.all()).slice(2)).toEqual(['rename:dir'])
  })
})

describe('a tree', () => {
  it('reports every depth, relative to the top', async () => {
    const fixture = site()
    const recorder = fixture.watch(fixture.root, { recursive: true })
    fixture.fs.writeFileSync(`${fixture.root}/dir/sub/y`, 'staged')
    fs.writeFileSync(`${fixture.root}/dir/x`, 'disk')
    fixture.fs.mkdirSync(`${fixture.root}/p/q`, { recursive: true })
    expect((await recorder.all()).sort()).toEqual(['change:dir/sub/y', 'change:dir/x', 'rename:p', 'rename:p/q'])
  })

  it('includes directories that appear on disk, with their entries', async () => {
    const fixture = site()
    const recorder = fixture.watch(fixture.root, { recursive: true })
    fs.mkdirSync(`${fixture.root}/p/q`, { recursive: true })
    fs.writeFileSync(`${fixture.root}/p/q/r`, '1')
    expect((await recorder.all()).sort()).toEqual(['rename:p', 'rename:p/q', 'rename:p/q/r'])
    fs.writeFileSync(`${fixture.root}/p/q/r`, '22')
    expect((await recorder.all()).at(-1)).toBe('change:p/q/r')
  })

  it('follows a renamed directory', async () => {
    const fixture = site()
    const recorder = fixture.watch(fixture.root, { recursive: true })
    fixture.fs.renameSync(`${fixture.root}/dir`, `${fixture.root}/moved`)
    expect(await recorder.all()).toEqual(['rename:dir', 'rename:moved'])
    fs.writeFileSync(`${fixture.root}/dir/sub/y`, 'disk')
    expect((await recorder.all()).slice(2)).toEqual(['change:moved/sub/y'])
  })

  it('reports no hidden path, staged or on disk, and reads no hidden directory', async () => {
    const fixture = site(hideReads((path) => /^(secret|dir)(\/|$)/.test(path)))
    const recorder = fixture.watch(fixture.root, { recursive: true })
    fixture.fs.writeFileSync(`${fixture.root}/secret`, 'staged')
    fs.writeFileSync(`${fixture.root}/dir/x`, 'disk')
    fs.mkdirSync(`${fixture.root}/dir/more`)
    expect(await recorder.all()).toEqual([])
    expect(() => fixture.fs.watch(`${fixture.root}/dir`)).toThrow(/^ENOENT/)
  })

  it('does not enter a hidden directory, not even for a visible name in it', async () => {
    const fixture = site(hideReads((path) => path === 'dir'))
    const recorder = fixture.watch(fixture.root, { recursive: true })
    fs.writeFileSync(`${fixture.root}/dir/x`, 'disk')
    expect(await recorder.all()).toEqual([])
  })
})
