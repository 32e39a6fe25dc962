import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { recover } from '../../src/commit/index.js'
import { openLedger, parseDraft } from '../../src/trace/index.js'
import { OWN } from '../../src/trace/own-record.js'
import { roundFiles } from '../children/rounds.js'
import { startChild } from '../children/run.js'
import { type Bench, newBench } from '../commit/kit.js'

/** The numbers of kills; `npm run soak -- commit` sets 500 and 100. */
const KILLS = Number(process.env.ESCROWFS_KILLS ?? 12)
const RECOVERY_KILLS = Number(process.env.ESCROWFS_RECOVERY_KILLS ?? 6)
const COUNTS = [1, 10, 100] as const

/**
 * Recovers. Expects all files to be of one round, which is the last in the ledger and not older than the last
 * acknowledged one.
 */
async function expectOneRound(bench: Bench, count: number, acknowledged: number): Promise<number> {
  const ledger = openLedger(bench.layout)
  const append = async (record: Record<string, unknown>) => {
    await ledger.appendOnce(parseDraft(record))
  }
  const since = performance.now()
  expect((await recover(bench.layout, append)).conflicts).toEqual([])
  slowest = Math.max(slowest, performance.now() - since)
  const read = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '0')
  const rounds = new Set(roundFiles(count).map((path) => Number(read(`${bench.root}/${path}`))))
  expect([...rounds]).toHaveLength(1)
  const [round = -1] = rounds
  expect(round).toBeGreaterThanOrEqual(acknowledged)
  expect(round).toBeLessThanOrEqual(acknowledged + 1)
  const recorded: unknown[] = []
  for await (const { metadata } of ledger.records()) {
    const ownMetadata = (metadata as Record<string, Record<string, unknown>>)[OWN]
    if (ownMetadata?.type === 'commit') recorded.push(ownMetadata.round)
  }
  expect(recorded).toEqual(Array.from({ length: round }, (_, i) => i + 1))
  expect(await ledger.verify()).toMatchObject({ ok: true })
  expect(await recover(bench.layout, append)).toEqual({ finished: [], removed: [], conflicts: [] })
  return round
}

let slowest = 0

/**
 * Kills a child at a random moment after its commit number `rounds`. Resolves to the last round that it acknowledged.
 */
async function killCommitting(bench: Bench, count: number, from: number, rounds: number): Promise<number> {
  const child = startChild('committing-rounds.ts', bench.root, String(count), String(from))
  let acknowledged = from - 1
  while (acknowledged < from - 1 + rounds) acknowledged = Number(await child.line())
  await sleep(Math.random() * (count === 100 ? 60 : 12))
  await child.kill()
  for (let line = await child.line(); line !== undefined; line = await child.line()) acknowledged = Number(line)
  return acknowledged
}

/** As {@link killCommitting}, but kills between two steps of a commit, after the fraction `part` of its steps. */
async function killWithin(bench: Bench, count: number, from: number, part: number): Promise<number> {
  const child = startChild('committing-rounds.ts', bench.root, String(count), String(from), String(part))
  let acknowledged = from - 1
  let line = await child.line()
  for (; line !== undefined && !line.startsWith('paused'); line = await child.line()) acknowledged = Number(line)
  expect(line).toMatch(/^paused before \w+$/)
  await child.kill()
  return acknowledged
}

describe('killed at random moments', () => {
  it.each(COUNTS)('a commit of %i file(s) loses nothing acknowledged and is never left incomplete', async (count) => {
    const kills = Math.ceil(KILLS / COUNTS.length)
    const counts = { within: 0, decided: 0 }
    let bench = newBench()
    let round = 0
    for (let n = 0; n < kills; n += 1) {
      // A workspace gets ten rounds: recoveries have earlier commits, and the ledger is still short enough to read
      // quickly.
      if (n % 10 === 9) {
        bench.remove()
        bench = newBench()
        round = 0
      }
      // A commit takes milliseconds, so most kills by time miss it. Four of five kills are therefore between its steps.
      const isAimed = n % 5 !== 4
      const acknowledged = isAimed
        ? await killWithin(bench, count, round + 1, Math.random())
        : await killCommitting(bench, count, round + 1, 1 + (n % 2))
      round = await expectOneRound(bench, count, acknowledged)
      if (isAimed || round > acknowledged) counts.within += 1
      if (round > acknowledged) counts.decided += 1
    }
    bench.remove()
    expect(counts.within / kills).toBeGreaterThanOrEqual(0.8)
    // The number of kills after a commit point is random, so it is printed and not asserted.
    console.log(
      `${count} file(s), ${kills} kills: ${counts.within} within a commit, ${counts.decided} after its commit point`,
    )
  })

  it('a recovery can be killed and restarted repeatedly', async () => {
    let cut = 0
    for (let n = 0; n < RECOVERY_KILLS; ) {
      const bench = newBench()
      const count = COUNTS[n % COUNTS.length] ?? 1
      const dying = startChild('committing-rounds.ts', bench.root, String(count), '1', 'die')
      expect(await dying.line()).toBeUndefined()
      for (let attempt = 0; attempt < 3 && n < RECOVERY_KILLS; attempt += 1) {
        const child = startChild('recovering.ts', bench.root)
        expect(await child.line()).toBe('ready')
        await sleep(Math.random() * (count === 100 ? 40 : 8))
        await child.kill()
        n += 1
        if ((await child.line()) === 'done') break
        cut += 1
      }
      expect(await expectOneRound(bench, count, 1)).toBe(1)
      bench.remove()
    }
    console.log(
      `${cut} of ${RECOVERY_KILLS} recoveries were cut off; the longest of all took ${Math.round(slowest)} ms`,
    )
  })
})
