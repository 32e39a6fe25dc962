import { appendFileSync, existsSync, readFileSync } from 'node:fs'

/**
 * A file that stores each result as soon as it is measured, so that an interrupted run can continue.
 * `ESCROWFS_FRONTIER_RESUME` names it; without the variable nothing is stored. Each line has the name of a measurement
 * and its result.
 */
const FILE = process.env.ESCROWFS_FRONTIER_RESUME

/** The stored result of a measurement, or a new one. */
export async function cacheResult<T>(name: string, measure: () => Promise<T>): Promise<T> {
  if (FILE === undefined) return measure()
  const lines = existsSync(FILE) ? readFileSync(FILE, 'utf8').trim().split('\n') : []
  for (const line of lines) {
    const cached = line === '' ? undefined : (JSON.parse(line) as { readonly name: string; readonly result: T })
    if (cached?.name === name) return cached.result
  }
  const result = await measure()
  appendFileSync(FILE, `${JSON.stringify({ name, result })}\n`)
  return result
}
