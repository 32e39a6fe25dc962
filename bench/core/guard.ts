import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { openWorkspace } from '../../src/index.js'
import { memoryPlace } from '../places.js'
import { OURS, thisMachine, times } from '../report.js'
import { quantile } from '../stats.js'
import { bestOf, findRegressions, findUnrecorded, MARGIN, type Ratios } from './decide.js'
import { loadBuild, ratiosOf } from './measure.js'
import { coreRows } from './rows.js'

const RECORD = fileURLToPath(new URL('../guard.json', import.meta.url))
const RUNS = 4

const recordShape = z.object({ date: z.string(), machine: z.string(), ratios: z.record(z.string(), z.number()) })

/**
 * Fails when a call costs much more work than `bench/guard.json` has recorded, as a ratio to its baseline (`node:fs` or memfs).
 * A row that seems slow is measured again; the best of several runs counts.
 * @returns the exit code
 */
export async function guard(print: (text: string) => void): Promise<number> {
  const { ratios: recorded } = recordShape.parse(JSON.parse(readFileSync(RECORD, 'utf8')))
  const runs: Ratios[] = []
  const { rows, close } = await coreRows(memoryPlace().path, { name: OURS, openWorkspace })
  try {
    for (let left = rows; left.length > 0 && runs.length < RUNS; ) {
      runs.push(await ratiosOf(left))
      const slow = findRegressions(recorded, runs)
      left = rows.filter(({ title }) => slow.some((each) => each.title === title))
    }
  } finally {
    await close()
  }
  for (const [title, ratio] of Object.entries(bestOf(runs)))
    print(`${title}: ${times(ratio)}, ${times(recorded[title] ?? Number.NaN)} recorded`)
  const unknown = findUnrecorded(recorded, runs)
  for (const title of unknown) print(`${title}: not in bench/guard.json. Run: npm run bench -- guard --record`)
  const slow = findRegressions(recorded, runs)
  for (const { title, recorded: was, best } of slow)
    print(
      best === undefined
        ? `${title}: not measured in ${runs.length} runs, ${times(was)} recorded`
        : `${title}: ${times(best)} at best in ${runs.length} runs, more than ${MARGIN} times the ${times(was)} recorded`,
    )
  return slow.length + unknown.length > 0 ? 1 : 0
}

/** Records the ratios of this machine, the median of several runs. */
export async function record(print: (text: string) => void): Promise<number> {
  const { rows, close } = await coreRows(memoryPlace().path, { name: OURS, openWorkspace })
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

/** Prints the ratios of a build in another directory as JSON. @returns the exit code */
export async function core(dir: string, print: (text: string) => void): Promise<number> {
  const { rows, close } = await coreRows(memoryPlace().path, await loadBuild(dir))
  print(JSON.stringify(await ratiosOf(rows)))
  await close()
  return 0
}
