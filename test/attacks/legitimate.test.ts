import { expect, it } from 'vitest'
import { done, type Legitimate, legitimate } from './rows/legitimate.js'
import { atWork, carryOut, type House, newHouse, nodeItself } from './subjects.js'
import { NoWay, WAYS, type Way } from './ways.js'
import { newWorld, type Picture, picture, type World } from './world.js'

/** Ordinary work is done by every way in, and the tree in the end is the one that Node leaves. */

const isMissing = (told: unknown) => told instanceof NoWay

/** The tree, but for times, and for the one name of a world that its links hold. */
function shape(world: World, tree: Picture): string[] {
  return [...tree]
    .map(([name, { print }]) => `${name} ${print.replace(/^(\d+ \d+:\d+) \S+/, '$1')}`.replaceAll(world.outer, ''))
    .sort()
}

async function byNode(row: Legitimate): Promise<string[]> {
  const world = newWorld()
  try {
    await carryOut(
      async (run) => {
        expect((await done(run, row, isMissing)).refused).toEqual([])
      },
      nodeItself,
      'sync',
      world,
    )
    return shape(world, picture(world.outer))
  } finally {
    world.dispose()
  }
}

interface Outcome {
  readonly refused: unknown[]
  readonly tree: string[]
}

/** Undefined where the way has no manner of doing some of it. */
async function byUs(row: Legitimate, way: Way, house: House): Promise<Outcome | undefined> {
  const { subject, release, close } = await atWork(house)
  let outcome: Awaited<ReturnType<typeof done>> | undefined
  await carryOut(
    async (run) => {
      outcome = await done(run, row, isMissing)
    },
    subject,
    way,
    house.world,
  )
  const whole = outcome?.acted === row.steps.length
  if (whole) await release()
  await close()
  return outcome && whole
    ? { refused: outcome.refused, tree: shape(house.world, picture(house.world.outer)) }
    : undefined
}

/** Two ways a row, another second one for the next; every one by `npm run soak -- attacks`. */
function waysOf(row: Legitimate): Way[] {
  const turn = WAYS[legitimate.indexOf(row) % WAYS.length]
  const all = process.env.ESCROWFS_ATTACKS === 'apart'
  return WAYS.filter((each) => all || each === 'sync' || each === turn).filter((each) => each !== 'roo' || !row.notRoo)
}

it.each(legitimate)('$name', async (row) => {
  const tree = await byNode(row)
  for (const way of waysOf(row)) {
    const house = await newHouse()
    try {
      const outcome = await byUs(row, way, house)
      if (outcome) expect(outcome, way).toEqual({ refused: [], tree })
    } finally {
      await house.close()
    }
  }
})
