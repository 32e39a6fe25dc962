import { existsSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { afterEach, expect, it } from 'vitest'
import { realDisk } from '../../src/commit/disk.js'
import { type CommitOutcome, commitEntries, recover } from '../../src/commit/index.js'
import { EscrowError } from '../../src/core/api-error.js'
import { type Bench, entryFor, inputFor, listing, newBench } from '../commit/kit.js'

let bench: Bench
afterEach(() => bench.remove())

/** Frees the lock, as a waiting process does with that of a live holder that does not renew it: the next process may take it. */
function freeLock(): void {
  rmSync(`${bench.layout.locks}/commit.holder`, { force: true })
  rmdirSync(`${bench.layout.locks}/commit.lock`)
}

/** A disk on which each new file takes a while, so that another commit can start during a commit of many files. */
const slow = {
  ...realDisk,
  createFile: (...args: Parameters<typeof realDisk.createFile>) => {
    const until = performance.now() + 3
    while (performance.now() < until);
    realDisk.createFile(...args)
  },
}

const MANY = Array.from({ length: 30 }, (_, i) => entryFor(`many/${i}`, null, { file: 'many' }))

async function settle(runs: Promise<CommitOutcome>[]): Promise<(CommitOutcome | EscrowError)[]> {
  return Promise.all(
    runs.map((run) =>
      run.catch((error: unknown) => {
        if (error instanceof EscrowError) return error
        throw error
      }),
    ),
  )
}

/**
 * Expects that every acknowledged commit is on disk and in the ledger once, no refused one is, and nothing is left to
 * recover.
 */
async function expectSound(results: readonly (CommitOutcome | EscrowError)[]): Promise<void> {
  const done = results.flatMap((result) => (result instanceof EscrowError ? [] : [result]))
  for (const refused of results.flatMap((result) => (result instanceof EscrowError ? [result] : []))) {
    expect(refused.reason).toBe('session_busy')
  }
  expect(new Set(done.map(({ seq }) => seq)).size).toBe(done.length)
  expect(bench.ledger.map(({ tx }) => tx).sort()).toEqual(done.map(({ tx }) => tx).sort())
  for (const path of done.flatMap(({ committed }) => committed)) expect(existsSync(`${bench.root}/${path}`)).toBe(true)
  expect(done.flatMap(({ conflicts }) => conflicts)).toEqual([])
  expect(await recover(bench.layout, bench.append)).toEqual({ finished: [], removed: [], conflicts: [] })
}

it('a second commit that takes the lock while the first writes its files: both land whole, or one is refused', async () => {
  bench = newBench({ 'many/kept': { file: 'x' } })
  let second: Promise<CommitOutcome> | undefined
  const first = commitEntries(
    inputFor(bench, MANY, {
      onProgress: ({ phase, files }) => {
        if (phase !== 'staging' || files === 0 || second !== undefined) return
        freeLock()
        second = commitEntries(inputFor(bench, [entryFor('second', null, { file: 'second' })]))
      },
    }),
    slow,
  )
  const [one] = await settle([first])
  const results = [one, ...(await settle(second === undefined ? [] : [second]))].filter((each) => each !== undefined)
  expect(results).toHaveLength(2)
  expect(readFileSync(`${bench.root}/second`, 'utf8')).toBe('second')
  await expectSound(results)
})

it('a second commit that takes the lock while the first writes its record finishes the first, once', async () => {
  bench = newBench({ a: { file: 'old' } })
  let second: Promise<CommitOutcome> | undefined
  const append = async (record: Record<string, unknown>) => {
    if (second === undefined) {
      freeLock()
      second = commitEntries(inputFor(bench, [entryFor('a', { file: 'new' }, { file: 'newer' })]))
      await second
    }
    await bench.append(record)
  }
  const first = await commitEntries(inputFor(bench, [entryFor('a', { file: 'old' }, { file: 'new' })], { append }))
  const results = [first, ...(second === undefined ? [] : [await second])]
  expect(results.map(({ seq }) => seq)).toEqual([1, 2])
  expect(listing(bench.root)).toEqual({ a: 'file 644 newer' })
  await expectSound(results)
})

it('of two concurrent commits of one file, one succeeds and the other is refused as stale', async () => {
  bench = newBench({ a: { file: 'old' } })
  let second: Promise<CommitOutcome> | undefined
  const first = commitEntries(
    inputFor(bench, [entryFor('a', { file: 'old' }, { file: 'first' }), ...MANY], {
      onProgress: ({ phase, files }) => {
        if (phase !== 'staging' || files === 0 || second !== undefined) return
        freeLock()
        second = commitEntries(inputFor(bench, [entryFor('a', { file: 'old' }, { file: 'second' })]))
      },
    }),
    slow,
  )
  await expect(first).rejects.toMatchObject({ refused: [expect.objectContaining({ path: 'a', reason: 'stale_file' })] })
  await second
  expect(listing(bench.root)).toEqual({ a: 'file 644 second' })
  expect(bench.ledger).toHaveLength(1)
})
