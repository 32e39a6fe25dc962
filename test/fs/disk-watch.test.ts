import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { hideReads, recordEvents, waitForEvents, site } from './watching.js'

describe('a directory', () => {
  it('reports the disk below a renamed directory, by the new name', async () => {
    const at = site()
    at.fs.renameSync(`${at.root}/dir`, `${at.root}/moved`)
    const recorder = recordEvents(at.fs.watch(`${at.root}/moved`))
    const probe = (round: string) => fs.writeFileSync(`${at.root}/dir/probe`, round)
    fs.writeFileSync(`${at.root}/dir/x`, 'disk')
    expect(await waitForEvents(recorder, probe)).toEqual(['change:x'])
  })

  it('reports its own removal', async () => {
    const at = site()
    const staged = recordEvents(at.fs.watch(`${at.root}/dir/sub`))
    const nextEvent = staged.next('sub')
    at.fs.rmSync(`${at.root}/dir/sub`, { recursive: true })
    await nextEvent
    expect(staged.events).toEqual(['rename:probe', 'rename:y', 'rename:sub'])
    const disk = recordEvents(at.fs.watch(`${at.root}/dir`))
    const gone = disk.next('dir')
    fs.rmSync(`${at.root}/dir`, { recursive: true })
    await gone
    expect(disk.events.at(-1)).toBe('rename:dir')
  })

  it('distinguishes its own changes from those of a child with the same name', async () => {
    const at = site()
    fs.writeFileSync(`${at.root}/dir/dir`, 'of its own name')
    const recorder = at.watch(`${at.root}/dir`)
    fs.unlinkSync(`${at.root}/dir/dir`)
    expect(await recorder.all()).toEqual(['rename:dir'])
    fs.chmodSync(`${at.root}/dir`, 0o700)
    expect((await recorder.all()).slice(1)).toEqual(['change:dir'])
    fs.writeFileSync(`${at.root}/dir/dir`, 'there again')
    expect((await recorder.all()).slice(2)).toEqual(['rename:dir'])
  })
})

describe('a tree', () => {
  it('reports every depth, relative to the top', async () => {
    const at = site()
    const recorder = at.watch(at.root, { recursive: true })
    at.fs.writeFileSync(`${at.root}/dir/sub/y`, 'staged')
    fs.writeFileSync(`${at.root}/dir/x`, 'disk')
    at.fs.mkdirSync(`${at.root}/p/q`, { recursive: true })
    expect((await recorder.all()).sort()).toEqual(['change:dir/sub/y', 'change:dir/x', 'rename:p', 'rename:p/q'])
  })

  it('includes directories that appear on disk, with their entries', async () => {
    const at = site()
    const recorder = at.watch(at.root, { recursive: true })
    fs.mkdirSync(`${at.root}/p/q`, { recursive: true })
    fs.writeFileSync(`${at.root}/p/q/r`, '1')
    expect((await recorder.all()).sort()).toEqual(['rename:p', 'rename:p/q', 'rename:p/q/r'])
    fs.writeFileSync(`${at.root}/p/q/r`, '22')
    expect((await recorder.all()).at(-1)).toBe('change:p/q/r')
  })

  it('follows a renamed directory', async () => {
    const at = site()
    const recorder = at.watch(at.root, { recursive: true })
    at.fs.renameSync(`${at.root}/dir`, `${at.root}/moved`)
    expect(await recorder.all()).toEqual(['rename:dir', 'rename:moved'])
    fs.writeFileSync(`${at.root}/dir/sub/y`, 'disk')
    expect((await recorder.all()).slice(2)).toEqual(['change:moved/sub/y'])
  })

  it('reports no hidden path, staged or on disk, and reads no hidden directory', async () => {
    const at = site(hideReads((path) => /^(secret|dir)(\/|$)/.test(path)))
    const recorder = at.watch(at.root, { recursive: true })
    at.fs.writeFileSync(`${at.root}/secret`, 'staged')
    fs.writeFileSync(`${at.root}/dir/x`, 'disk')
    fs.mkdirSync(`${at.root}/dir/more`)
    expect(await recorder.all()).toEqual([])
    expect(() => at.fs.watch(`${at.root}/dir`)).toThrow(/^ENOENT/)
  })

  it('does not enter a hidden directory, not even for a visible name in it', async () => {
    const at = site(hideReads((path) => path === 'dir'))
    const recorder = at.watch(at.root, { recursive: true })
    fs.writeFileSync(`${at.root}/dir/x`, 'disk')
    expect(await recorder.all()).toEqual([])
  })
})
