import fs from 'node:fs'
import { basename, dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hideReads, land, recordEvents, site, waitForEvents } from './watching.js'

describe('watching a file', () => {
  it('reports staged and disk changes of the file only', async () => {
    const fixture = site()
    const recorder = recordEvents(fixture.fs.watch(`${fixture.root}/a`))
    const probe = (round: string) => fs.writeFileSync(`${fixture.root}/a`, round)
    fs.writeFileSync(`${fixture.root}/b`, 'neighbour')
    fixture.fs.writeFileSync(`${fixture.root}/c`, 'neighbour')
    await waitForEvents(recorder, probe, 'a')
    expect(recorder.events).toEqual(['change:a', 'change:a'])
    const nextEvent = recorder.next('a')
    fixture.fs.writeFileSync(`${fixture.root}/a`, 'staged')
    await nextEvent
    expect(recorder.events).toHaveLength(3)
  })

  it('continues when an editor replaces the file by rename', async () => {
    const fixture = site()
    const recorder = recordEvents(fixture.fs.watch(`${fixture.root}/a`))
    for (const content of ['one', 'two']) {
      const nextEvent = recorder.next('a')
      fs.writeFileSync(`${fixture.root}/temporary`, content)
      fs.renameSync(`${fixture.root}/temporary`, `${fixture.root}/a`)
      await nextEvent
    }
    expect(recorder.events).toEqual(['rename:a', 'rename:a'])
  })

  it('reports the requested name, through a link too', async () => {
    const fixture = site()
    fs.symlinkSync('a', `${fixture.root}/link`)
    const recorder = recordEvents(fixture.fs.watch(`${fixture.root}/link`))
    const nextEvent = recorder.next('link')
    fixture.fs.writeFileSync(`${fixture.root}/a`, 'staged')
    await nextEvent
    expect(recorder.events).toEqual(['change:link'])
  })

  it('works for a staged file, before and after its commit', async () => {
    const fixture = site()
    fixture.fs.mkdirSync(`${fixture.root}/fresh`)
    fixture.fs.writeFileSync(`${fixture.root}/fresh/file`, '1')
    const recorder = recordEvents(fixture.fs.watch(`${fixture.root}/fresh/file`))
    const staged = recorder.next('file')
    fixture.fs.writeFileSync(`${fixture.root}/fresh/file`, '2')
    await staged
    fs.mkdirSync(`${fixture.root}/fresh`, { mode: fixture.fs.statSync(`${fixture.root}/fresh`).mode & 0o777 })
    land(fixture)
    // The stage is scanned at the end of the turn; then the directory on disk is watched.
    await new Promise((resolve) => setImmediate(resolve))
    const disk = recorder.next('file')
    fs.writeFileSync(`${fixture.root}/fresh/file`, '3')
    await disk
    expect(recorder.events).toEqual(['change:file', 'change:file'])
  })
})

describe('the paths that a watch reports', () => {
  it('do not include paths that are hidden by the requested name', async () => {
    const fixture = site(hideReads((_, asked) => asked === 'link/x'))
    fs.symlinkSync('dir', `${fixture.root}/link`)
    const recorder = fixture.watch(`${fixture.root}/link`)
    fixture.fs.writeFileSync(`${fixture.root}/dir/x`, 'staged')
    expect(await recorder.all()).toEqual([])
  })

  it("outside of the workspace are the host's, without hidden paths and the workspace", async () => {
    const hidden: string[] = []
    const fixture = site(hideReads((path) => hidden.includes(path)))
    const outside = fixture.outside()
    hidden.push(`${outside}/secret`)
    const recorder = fixture.watch(outside)
    fs.writeFileSync(`${outside}/secret`, 'disk')
    fs.writeFileSync(`${outside}/f`, 'disk')
    expect(new Set(await recorder.all())).toEqual(new Set(['rename:f', 'change:f']))
    const above = recordEvents(fixture.fs.watch(dirname(fixture.root)))
    fs.chmodSync(fixture.root, 0o700)
    const sibling = `${fixture.root}.beside`
    const nextEvent = above.next(basename(sibling))
    fs.writeFileSync(sibling, '')
    fs.unlinkSync(sibling)
    await nextEvent
    expect(above.events).not.toContain(`rename:${basename(fixture.root)}`)
    hidden.push(outside)
    expect(() => fixture.fs.watch(outside)).toThrow(/^ENOENT/)
  })
})

describe('a call of watch', () => {
  const bad: [string, unknown[]][] = [
    ['a number for a path', [5]],
    ['a listener that is not a function', ['<root>', {}, 5]],
    ['an unknown encoding', ['<root>', { encoding: 'nonsense' }]],
    ['an invalid signal', ['<root>', { signal: 5 }]],
    ['a recursive that is not a boolean', ['<root>', { recursive: 5 }]],
    ['invalid options', ['<root>', 5]],
  ]
  it.each(bad)('fails as the host’s does: %s', (_, args) => {
    const fixture = site()
    const failure = (api: typeof fs) => {
      try {
        Reflect.apply(
          api.watch,
          api,
          args.map((arg) => (arg === '<root>' ? fixture.root : arg)),
        )
      } catch (error) {
        const { name, code, message } = error as NodeJS.ErrnoException
        return { name, code, message }
      }
      return undefined
    }
    expect(failure(fs)).toBeDefined()
    expect(failure(fixture.fs)).toEqual(failure(fs))
  })

  it('fails for an absent path in the host’s shape, for a staged deletion too', () => {
    const fixture = site()
    fixture.fs.unlinkSync(`${fixture.root}/a`)
    const failure = (api: typeof fs, path: string) => {
      try {
        api.watch(path)
        return undefined
      } catch (error) {
        return { ...(error as object), message: String(error) }
      }
    }
    expect(failure(fixture.fs, `${fixture.root}/absent`)).toEqual(failure(fs, `${fixture.root}/absent`))
    expect(failure(fixture.fs, `${fixture.root}/a`)).toMatchObject({
      code: 'ENOENT',
      syscall: 'watch',
      filename: `${fixture.root}/a`,
    })
    expect(fixture.watches.feed.idle).toBe(true)
  })
})
