import { readdirSync, rmSync } from 'node:fs'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { openWorkspace } from '../../src/index.js'
import { KILLS, runAndKill, SLOW } from '../children/run-and-kill.js'
import { stateOf } from '../support/state.js'
import { gitRounds, onceWith, roundOf } from './git-rounds.js'

/** Each round starts git some twenty times. */
const TIMES = Math.ceil(KILLS / 3)

const delays = fc.array(fc.integer({ min: 0, max: 299 }), { minLength: TIMES, maxLength: TIMES })

it(`a commit with git killed at ${TIMES} random moments is in both the tree and the branch, or in neither`, SLOW, () =>
  onceWith(delays, commitAndKill),
)

async function commitAndKill(all: readonly number[]): Promise<void> {
  const at = gitRounds()
  let done = 0
  for (const [kill, delay] of all.entries()) {
    const last = await runAndKill('committing.ts', at.root, done + 1, kill % 2, delay)
    // A killed git leaves this file, and asks people to remove it.
    rmSync(`${at.root}/.git/index.lock`, { force: true })
    const workspace = await openWorkspace(at.root)
    await workspace.close()
    done = roundOf(at)
    expect([last, last + 1]).toContain(done)
  }
  expect(readdirSync(stateOf(at.root)).filter((name) => name.startsWith('git-')).length).toBeLessThanOrEqual(TIMES)
}
