import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { openWorkspace } from '../../src/index.js'
import { compare, type Effort } from '../harness.js'
import { memoryPlace } from '../places.js'
import { OURS, thisMachine, times } from '../report.js'
import { quantile } from '../stats.js'
import { MARGIN, type Ratios, stepsBack, unrecorded } from './decide.js'
import { type CoreRow, coreRows } from './rows.js'

const RECORD = fileURLToPath(new URL('../guard.json', import.meta.url))
const LIGHT: Effort = { rounds: 15, sampleMs: 2, warmUpMs: 80, budgetMs: 1_000 }
const HEAVY: Effort = { rounds: 5, sampleMs: 0, warmUpMs: 0.001, budgetMs: 2_000 }
const RUNS = 4

const recordShape = z.object({ date: z.string(), machine: z.string(), ratios: z.record(z.string(), z.number()) })

/**
 * Fails when a call has come to cost much more work beside `node:fs` than `bench/guard.json` says. What seems to be is measured
 * again; the best of several runs counts.
 * @returns the exit code.
 */
export async function guard(print: (text: string) => void): Promise<number> {
  const { ratios: recorded } = recordShape.parse(JSON.parse(readFileSync(RECORD, 'utf8')))
  const runs: Ratios[] = []
  const { rows, close } = await coreRows(memoryPlace().path, [{ name: OURS, openWorkspace }])
  try {
    for (let left = rows; left.length > 0 && runs.length < RUNS; ) {
      runs.push(await ratiosOf(left))
      const slow = stepsBack(recorded, runs)
      left = rows.filter(({ title }) => slow.some((each) => each.title === title))
    }
  } finally {
    await close()
  }
  for (const [title, ratio] of Object.entries(runs[0] ?? {}))
    print(`${title}: ${times(ratio)}, ${times(recorded[title] ?? Number.NaN)} recorded`)
  const strange = unrecorded(recorded, runs)
  for (const title of strange) print(`${title}: not in bench/guard.json. Run: npm run bench -- guard --record`)
  const slow = stepsBack(recorded, runs)
  for (const { title, recorded: was, best } of slow)
    print(
      best === undefined
        ? `${title}: not measured in ${runs.length} runs, ${times(was)} recorded`
        : `${title}: ${times(best)} at best in ${runs.length} runs, more than ${MARGIN} times the ${times(was)} recorded`,
    )
  return slow.length + strange.length > 0 ? 1 : 0
}

/** Writes down the ratios of this machine, the middle of several runs. */
export async function record(print: (text: string) => void): Promise<number> {
  const { rows, close } = await coreRows(memoryPlace().path, [{ name: OURS, openWorkspace }])
  const runs: Ratios[] = []
  for (let n = 0; n < RUNS; n += 1) runs.push(await ratiosOf(rows))
  await close()
  const ratios = Object.fromEntries(
    rows.map(({ title }) => [
      title,
      Number(
        quantile(
          runs.map((run) => run[title] ?? Number.NaN),
          0.5,
        ).toPrecision(3),
      ),
    ]),
  )
  const { cpu, node, load } = thisMachine()
  const machine = `${cpu}, Node ${node}, load ${load}`
  writeFileSync(
    RECORD,
    `${JSON.stringify({ date: new Date().toISOString().slice(0, 10), machine, ratios }, undefined, 2)}\n`,
  )
  for (const [title, ratio] of Object.entries(ratios)) print(`${title}: ${times(ratio)}`)
  return 0
}

/** Nanoseconds of work this process has done, all its threads: what others do meanwhile is not in it, nor is waiting. */
function cpuTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) * 1_000
}

/** The middle of the pairs, each row by itself. A row that fails is not in it. */
async function ratiosOf(rows: readonly CoreRow[]): Promise<Ratios> {
  const found: Record<string, number> = {}
  for (const row of rows) {
    const { results, skipped } = await compare(row, row.heavy ? HEAVY : LIGHT, cpuTime)
    for (const { name, reason } of skipped) throw new Error(`${row.title}: ${name}: ${reason}`)
    const ratio = results.find(({ name }) => name === OURS)?.ratio
    if (ratio) found[row.title] = ratio.median
  }
  return found
}
