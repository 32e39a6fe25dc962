import { afterAll, describe, expect, it } from 'vitest'
import { early, leaks } from './judge.js'
import type { Attack } from './row.js'
import { type AtWork, atWork, carryOut, type House, newHouse } from './subjects.js'
import { ATTACKS } from './table.js'
import { WAYS, type Way } from './ways.js'
import { picture } from './world.js'

/**
 * Each row is done by every way in, on a real tree: nothing has changed when the calls return, and after everything
 * was approved and committed nothing has that may not. The tree is the judge; what an error says counts for nothing.
 * ESCROWFS_ATTACKS=apart gives each way a tree of its own, where one after the other has the row's tree otherwise.
 */

interface Place {
  readonly house: House
  readonly work: AtWork
}

/** A tree that a row left as it was, with nothing staged, serves the next one too. */
let spare: Place | undefined

const placeFor = async (row: Attack): Promise<Place> => {
  const taken = row.setUp || row.meanwhile ? undefined : spare
  if (taken) spare = undefined
  if (taken) return taken
  const house = await newHouse(row.setUp)
  return { house, work: await atWork(house) }
}

const leave = async ({ house, work }: Place): Promise<void> => {
  await work.close()
  await house.close()
}

afterAll(async () => {
  if (spare) await leave(spare)
})

interface Outcome {
  /** Ways that had a manner of doing any of it. */
  ways: Way[]
  found: string[]
}

async function tried(row: Attack, ways: readonly Way[]): Promise<Outcome> {
  const place = await placeFor(row)
  const { house, work } = place
  const { world } = house
  const outcome: Outcome = { ways: [], found: [] }
  let clean = false
  try {
    for (const way of ways) {
      await work.begin()
      const { acted, hung } = await carryOut(row.deed, work.subject, way, world)
      if (acted) outcome.ways.push(way)
      if (hung) outcome.found.push(`${way} hangs`)
    }
    outcome.found.push(...early(world, house.before))
    clean = !row.once && world.person.size === 0 && outcome.found.length === 0 && (await work.staged()) === 0
    if (clean && !row.meanwhile) return outcome
    clean = false
    row.meanwhile?.(world)
    const before = row.meanwhile ? picture(world.outer) : house.before
    await work.release()
    outcome.found.push(...leaks(world, before, row.keeps))
    return outcome
  } finally {
    if (clean && !row.setUp && !spare) spare = place
    else await leave(place)
  }
}

const waysOf = (row: Attack): readonly Way[] => (row.once ? ['sync'] : WAYS)

/** What a row has to show: all its ways in one tree, or each in its own. */
const trialsOf = (row: Attack): (readonly Way[])[] =>
  process.env.ESCROWFS_ATTACKS === 'apart' ? waysOf(row).map((way) => [way]) : [waysOf(row)]

describe.each(ATTACKS)('$kind', ({ rows }) => {
  it.each(rows)('$name', async (row) => {
    const ways: Way[] = []
    for (const trial of trialsOf(row)) {
      const outcome = await tried(row, trial)
      expect(outcome.found, trial.join(', ')).toEqual([])
      ways.push(...outcome.ways)
    }
    expect(ways).not.toEqual([])
  })
})

it('has 150 rows and more', () => {
  expect(ATTACKS.flatMap(({ rows }) => rows).length).toBeGreaterThanOrEqual(150)
})
