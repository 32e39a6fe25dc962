import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { stateOf } from '../support/state.js'
import { startChild } from './run.js'

/** The number of kills for one kind of work. `npm run soak` sets a higher number. */
export const KILLS = Number(process.env.ESCROWFS_KILLS ?? 15)
export const SLOW = { timeout: 180_000 + KILLS * 5_000 }

/**
 * Starts the child at a number, lets it print `prints` numbers, and kills it `delay` milliseconds later. Resolves to
 * the last number that it printed.
 */
export async function runAndKill(
  file: string,
  root: string,
  from: number,
  prints: number,
  delay: number,
): Promise<number> {
  const child = startChild(file, root, String(from))
  let last = from - 1
  const listen = async (until: number) => {
    while (last < until) {
      const line = await child.line()
      if (line === undefined) return
      last = Number(line)
    }
  }
  await listen(from - 1 + prints)
  await sleep(delay)
  await child.kill()
  await listen(Number.POSITIVE_INFINITY)
  expect(last).toBeGreaterThanOrEqual(from - 1 + prints)
  // After a kill while a lock is taken or released, others wait ten seconds for its owner. The test knows that it is
  // dead.
  rmSync(`${stateOf(root)}/locks`, { recursive: true, force: true })
  return last
}
