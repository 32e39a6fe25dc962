import { join } from 'node:path'
import type { Suite } from '../bench.js'
import { memoryPlace } from '../places.js'
import { History, type Score } from './history.js'

/** Runs histories with real git, and asks blame for every line at the end. */
export async function scoreHistories(
  place: string,
  seeds: readonly number[],
  note: (seed: number, score: Score, log: readonly string[]) => void = () => undefined,
): Promise<Score> {
  const total: Score = { right: 0, unknown: 0, wrong: 0, stopped: 0, faults: [] }
  for (const seed of seeds) {
    const history = await History.run(join(place, `h${seed}`), seed)
    const score = await history.score()
    total.right += score.right
    total.unknown += score.unknown
    total.wrong += score.wrong
    total.stopped += score.stopped
    total.faults.push(...score.faults.map((fault) => `${seed}: ${fault}`))
    note(seed, score, history.log)
    if (process.env.KEEP === undefined) history.repository.remove()
  }
  return total
}

/** Histories. One takes seconds, so only the suite on its own runs all of them. */
const FEW = 30
const ALL = 1000

/** Measures how many lines blame still attributes right after histories with squash, rebase, moves and formatters. */
export const lines: Suite = async (bench) => {
  const count = bench.isThorough ? ALL : FEW
  const seeds = Array.from({ length: count }, (_, n) => n + 1)
  const { right, unknown, wrong, stopped } = await scoreHistories(memoryPlace().path, seeds)
  const all = right + unknown + wrong
  const share = (value: number) => (100 * value) / all
  const title = `of ${all} lines after ${count} histories`
  bench.values(
    `lines not attributed right, ${title}`,
    'percent',
    [{ name: 'escrowfs', value: share(unknown + wrong) }],
    {
      of: 'value',
      atMost: 0.1,
    },
  )
  bench.values(`lines attributed wrong, ${title}`, 'count', [{ name: 'escrowfs', value: wrong }], {
    of: 'value',
    atMost: 0,
  })
  bench.values(`lines of unknown origin, ${title}`, 'count', [{ name: 'escrowfs', value: unknown }])
  bench.values(
    `commits refused because git left a ledger that no one can continue, ${title}`,
    'count',
    [{ name: 'escrowfs', value: stopped }],
    { of: 'value', atMost: 0 },
  )
}
