import fs from 'node:fs'
import { basename, dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hideReads, land, recordEvents, waitForEvents, site } from './watching.js'

describe('watching a file', () => {
  it('reports staged and disk changes of the file only', async () => {
    const at = site()
    const recorder = recordEvents(at.fs.watch(`${at.root}/a`))
    const probe = (round: string) => fs.writeFileSync(`${at.root}/a`, round)
    fs.writeFileSync(`${at.root}/b`, 'neighbour')
    at.fs.writeFileSync(`${at.root}/c`, 'neighbour')
    await waitForEvents(recorder, probe, 'a')
    expect(recorder.events).toEqual(['change:a', 'change:a'])
    const nextEvent = recorder.next('a')
    at.fs.writeFileSync(`${at.root}/a`, 'staged')
    await nextEvent
    expect(recorder.events).toHaveLength(3)
  })

  it('continues when an editor replaces the file by rename', async () => {
    const at = site()
    const recorder = recordEvents(at.fs.watch(`${at.root}/a`))
    for (const content of ['one', 'two']) {
      const nextEvent = recorder.next('a')
      fs.writeFileSync(`${at.root}/temporary`, content)
      fs.renameSync(`${at.root}/temporary`, `${at.root}/a`)
      await nextEvent
    }
    expect(recorder.events).toEqual(['rename:a', 'rename:a'])
  })

  it('reports the requested name, through a link too', async () => {
    const at = site()
    fs.symlinkSync('a', `${at.root}/link`)
    const recorder = recordEvents(at.fs.watch(`${at.root}/link`))
    const nextEvent = recorder.next('link')
    at.fs.writeFileSync(`${at.root}/a`, 'staged')
    await nextEvent
    expect(recorder.events).toEqual(['change:link'])
  })

  it('works for a staged file, before and after its commit', async () => {
    const at = site()
    at.fs.mkdirSync(`${at.root}/fresh`)
    at.fs.writeFileSync(`${at.root}/fresh/file`, '1')
    const recorder = recordEvents(at.fs.watch(`${at.root}/fresh/file`))
    const staged = recorder.next('file')
    at.fs.writeFileSync(`${at.root}/fresh/file`, '2')
    await staged
    fs.mkdirSync(`${at.root}/fresh`, { mode: at.fs.statSync(`${at.root}/fresh`).mode & 0o777 })
    land(at)
    // The stage is scanned at the end of the turn; then the directory on disk is watched.
    await new Promise((resolve) => setImmediate(resolve))
    const disk = recorder.next('file')
    fs.writeFileSync(`${at.root}/fresh/file`, '3')
    await disk
    expect(recorder.events).toEqual(['change:file', 'change:file'])
  })
})

describe('the paths that a watch reports', () => {
  it('do not include paths that are hidden by the requested name', async () => {
    const at = site(hideReads((_, asked) => asked === 'link/x'))
    fs.symlinkSync('dir', `${at.root}/link`)
    const recorder = at.watch(`${at.root}/link`)
    at.fs.writeFileSync(`${at.root}/dir/x`, 'staged')
    expect(await recorder.all()).toEqual([])
  })

  it("outside of the workspace are the host's, without hidden paths and the workspace", async () => {
    const hidden: string[] = []
    const at = site(hideReads((path) => hidden.includes(path)))
    const outside = at.outside()
    hidden.push(`${outside}/secret`)
    const recorder = at.watch(outside)
    fs.writeFileSync(`${outside}/secret`, 'disk')
    fs.writeFileSync(`${outside}/f`, 'disk')
    expect(new Set(await recorder.all())).toEqual(new Set(['rename:f', 'change:f']))
    const above = recordEvents(at.fs.watch(dirname(at.root)))
    fs.chmodSync(at.root, 0o700)
    const sibling = `${at.root}.beside`
    const nextEvent = above.next(basename(sibling))
    fs.writeFileSync(sibling, '')
    fs.unlinkSync(sibling)
    await nextEvent
    expect(above.events).not.toContain(`rename:${basename(at.root)}`)
    hidden.push(outside)
    expect(() => at.fs.watch(outside)).toThrow(/^ENOENT/)
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
