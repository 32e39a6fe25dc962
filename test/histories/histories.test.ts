import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fuzzParameters } from '../support/fuzz.js'
import { type Cast, type Step, steps } from './steps.js'
import { World } from './world.js'

const CASTS: readonly (readonly [string, Cast, few: number])[] = [
  ['an agent alone, as on a plain directory', { people: false, second: false }, 30],
  ['an agent and people', { people: true, second: false }, 40],
  ['two agents', { people: false, second: true }, 15],
  ['two agents and people', { people: true, second: true }, 25],
]

async function outcome(cast: Cast, history: readonly Step[]): Promise<string> {
  const world = await World.open(cast)
  let at = -1
  try {
    for (const step of history) {
      at++
      await world.take(step)
    }
    await world.end()
    return 'kept'
  } catch (error) {
    return `step ${at}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`
  } finally {
    await world.close()
  }
}

describe('random histories keep every promise', () => {
  it.each(CASTS)('%s', async (_, cast, few) => {
    await fc.assert(
      fc.asyncProperty(steps(cast), async (history) => {
        expect(await outcome(cast, history)).toBe('kept')
      }),
      fuzzParameters(few),
    )
  })
})
