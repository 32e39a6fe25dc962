import fc from 'fast-check'
import { describe, it } from 'vitest'
import { PROVIDERS, withProvider } from '../support/providers.js'
import { histories, type Step } from './steps.js'
import { Twin } from './twin.js'

/**
 * A longer run takes about 4 s for each history. With another seed it tries others:
 * `ESCROWFS_FUZZ_RUNS=100 ESCROWFS_FUZZ_SEED=7 npx vitest run test/git/agent-git-differential.test.ts -t overlay`
 */
const RUNS = Number(process.env.ESCROWFS_FUZZ_RUNS ?? 1)
/** Steps of a history. */
const LENGTH = process.env.ESCROWFS_FUZZ_RUNS === undefined ? 4 : 8

async function attempt(history: readonly Step[]): Promise<void> {
  const twin = await Twin.open()
  try {
    for (const step of history) await twin.take(step)
  } catch (error) {
    throw new Error(`${twin.log.join('\n')}\n${error instanceof Error ? error.stack : error}`)
  } finally {
    twin.close()
  }
}

describe.each(PROVIDERS)("an agent's git in %s", { timeout: 300_000 + RUNS * 20_000 }, (provider) => {
  withProvider(provider)

  it.each([
    ['alone', false],
    ['beside a person', true],
  ])('is the same as git in a plain clone, %s', (_, people) =>
    fc.assert(fc.asyncProperty(histories(people, LENGTH), attempt), { numRuns: RUNS, endOnFailure: true }),
  )
})
