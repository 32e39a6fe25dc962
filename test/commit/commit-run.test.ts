import { readdirSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { realDisk } from '../../src/commit/disk.js'
import { commitEntries } from '../../src/commit/index.js'
import type { CommitProgress } from '../../src/core/api.js'
import { type Bench, entryFor, inputFor, listing, newBench } from './kit.js'

let bench: Bench
afterEach(() => bench.remove())

/** A disk on which each new file takes two milliseconds. */
const slow = {
  ...realDisk,
  createFile: (...args: Parameters<typeof realDisk.createFile>) => {
    const until = performance.now() + 2
    while (performance.now() < until);
    realDisk.createFile(...args)
  },
}

const ENTRIES = Array.from({ length: 40 }, (_, i) => entryFor(`f${i}`, null, { file: `content ${i}` }))

describe('the progress of a commit', () => {
  it('is reported by phase, with files and bytes', async () => {
    bench = newBench()
    const reports: CommitProgress[] = []
    await commitEntries(inputFor(bench, ENTRIES, { onProgress: (progress) => reports.push(progress) }), slow)
    const phases = [...new Set(reports.map(({ phase }) => phase))]
    expect(phases).toEqual(['checking', 'staging', 'applying'])
    for (const phase of phases) {
      const its = reports.filter((each) => each.phase === phase)
      expect(its[0]).toEqual({ phase, files: 0, total: 40, bytes: 0 })
      expect(its.some(({ files }) => files === 40)).toBe(true)
    }
    const staging = reports.filter(({ phase }) => phase === 'staging')
    expect(staging.length).toBeGreaterThan(3)
    expect(staging.find(({ files }) => files === 40)?.bytes).toBe(10 * 9 + 30 * 10)
  })

  it('yields to the rest of the process', async () => {
    bench = newBench()
    let turns = 0
    let isOver = false
    const committing = commitEntries(inputFor(bench, ENTRIES), slow).finally(() => {
      isOver = true
    })
    while (!isOver) {
      await setImmediate()
      turns += 1
    }
    await committing
    expect(turns).toBeGreaterThan(3)
  })

  it('rejects with the reason of its signal before the commit point, and changes nothing', async () => {
    bench = newBench({ kept: { file: 'x' } })
    for (const phase of ['checking', 'staging'] as const) {
      const control = new AbortController()
      const onProgress = (progress: CommitProgress) => {
        if (progress.phase === phase) control.abort(new Error('not now'))
      }
      const input = inputFor(bench, ENTRIES, { signal: control.signal, onProgress })
      await expect(commitEntries(input, slow)).rejects.toThrow('not now')
      expect(listing(bench.root)).toEqual({ kept: 'file 644 x' })
      expect(readdirSync(bench.layout.tx)).toEqual([])
      expect(readdirSync(bench.layout.commits)).toEqual([])
    }
    expect(bench.ledger).toEqual([])
    await commitEntries(inputFor(bench, ENTRIES))
  })

  it('cannot be cancelled after the commit point', async () => {
    bench = newBench()
    const control = new AbortController()
    const onProgress = ({ phase }: CommitProgress) => {
      if (phase === 'applying') control.abort()
    }
    const done = await commitEntries(inputFor(bench, ENTRIES, { signal: control.signal, onProgress }), slow)
    expect([control.signal.aborted, done.committed.length]).toEqual([true, 40])
  })
})
