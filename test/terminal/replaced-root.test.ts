import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CONTAINMENTS } from '../../src/terminal/containments.js'
import { overlayOver } from '../overlay/bench.js'
import { PROVIDERS, withProvider } from '../support/providers.js'

/** The workspace's mount belongs to its directory: a directory that replaces it has none. */

const replacements = {
  'renamed, and made again': (root: string) => {
    renameSync(root, `${root}.old`)
    onTestFinished(() => rmSync(`${root}.old`, { recursive: true, force: true }))
    mkdirSync(root)
  },
  'removed, and made again': (root: string) => {
    rmSync(root, { recursive: true })
    mkdirSync(root)
  },
}

describe.each(PROVIDERS)('in %s', (name) => {
  withProvider(name)

  it.each(Object.entries(replacements))('no command writes to a workspace that was %s', async (_, replace) => {
    const { root, overlay, dispose } = overlayOver({ a: 'a\n' })
    onTestFinished(dispose)
    const place = await CONTAINMENTS[0]?.open({ root })
    if (place === undefined) throw new Error(`${name} is missing.`)
    onTestFinished(() => place.close())
    const run = async (script: string) => {
      await place.prepare?.('seed')
      place.seed(overlay, [])
      return place.run({
        args: ['/bin/sh', '-c', script],
        cwd: root,
        env: { PATH: '/usr/bin:/bin' },
        network: false,
        processes: 64,
        visibility: { hidden: [], shown: [] },
        readOnlyNames: [],
      })
    }
    expect((await run('echo 1 > first')).exitCode).toBe(0)
    expect(existsSync(`${root}/first`)).toBe(false)
    replace(root)
    // It may fail to start.
    await run('echo 2 > second').catch(() => undefined)
    expect(readdirSync(root)).toEqual([])
  })
})
