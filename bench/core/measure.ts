import { pathToFileURL } from 'node:url'
import { compare, type Effort } from '../harness.js'
import { OURS } from '../report.js'
import type { Ratios } from './decide.js'
import type { Build, CoreRow } from './rows.js'

const LIGHT: Effort = { rounds: 15, sampleMs: 2, warmUpMs: 80, budgetMs: 1_000 }
const HEAVY: Effort = { rounds: 5, sampleMs: 0, warmUpMs: 0.001, budgetMs: 2_000 }

/**
 * The median ratio of each row, in processor time instead of elapsed time.
 * @throws Error if a variant of a row fails
 */
export async function ratiosOf(rows: readonly CoreRow[]): Promise<Ratios> {
  const found: Record<string, number> = {}
  for (const row of rows) {
    const { results, skipped } = await compare(row, row.heavy ? HEAVY : LIGHT, cpuTime)
    for (const { name, reason } of skipped) throw new Error(`${row.title}: ${name}: ${reason}`)
    const ratio = results.find(({ name }) => name === OURS)?.ratio
    if (ratio) found[row.title] = ratio.median
  }
  return found
}

/** The processor time of this process and its threads in nanoseconds, without waiting and other processes. */
function cpuTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) * 1_000
}

/** Loads the library that was built in a directory. */
export async function loadBuild(dir: string): Promise<Build> {
  const built: unknown = await import(pathToFileURL(`${dir}/dist/src/index.js`).href)
  if (!isLibrary(built)) throw new Error(`${dir} has no openWorkspace.`)
  return { name: OURS, openWorkspace: built.openWorkspace }
}

function isLibrary(value: unknown): value is Pick<Build, 'openWorkspace'> {
  return (
    typeof value === 'object' && value !== null && 'openWorkspace' in value && typeof value.openWorkspace === 'function'
  )
}
