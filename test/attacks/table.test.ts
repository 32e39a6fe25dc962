import { afterAll, describe, expect, it } from 'vitest'
import { CALL_STYLES, type CallStyle } from './call-styles.js'
import { changesBeforeReview, leaks } from './judge.js'
import type { Attack } from './row.js'
import { type AgentRun, type OpenWorld, openWorld, perform, startAgent } from './subjects.js'
import { ATTACKS } from './table.js'
import { takeSnapshot } from './world.js'

/**
 * Performs each row in every call style on a real tree. When the calls return, nothing may have changed. After everything was
 * approved and committed, nothing protected may have changed. Only the tree counts, not the errors.
 * With `ESCROWFS_ATTACKS=apart` each call style gets its own tree; otherwise they share one.
 */

interface Place {
  readonly opened: OpenWorld
  readonly work: AgentRun
}

/** A place that a row left unchanged, for the next row. */
let spare: Place | undefined

const placeFor = async (row: Attack): Promise<Place> => {
  const reused = row.setUp || row.beforeCommit ? undefined : spare
  if (reused) spare = undefined
  if (reused) return reused
  const opened = await openWorld(row.setUp)
  return { opened, work: await startAgent(opened) }
}

const closePlace = async ({ opened, work }: Place): Promise<void> => {
  await work.close()
  await opened.close()
}

afterAll(async () => {
  if (spare) await closePlace(spare)
})

interface Outcome {
  /** The call styles that support any op of the row. */
  styles: CallStyle[]
  found: string[]
}

async function tryRow(row: Attack, styles: readonly CallStyle[]): Promise<Outcome> {
  const place = await placeFor(row)
  const { opened, work } = place
  const { world } = opened
  const outcome: Outcome = { styles: [], found: [] }
  let isClean = false
  try {
    for (const style of styles) {
      await work.begin()
      const { acted, hung } = await perform(row.action, work.subject, style, world)
      if (acted) outcome.styles.push(style)
      if (hung) outcome.found.push(`${style} hangs`)
    }
    outcome.found.push(...changesBeforeReview(world, opened.before))
    isClean = !row.once && world.person.size === 0 && outcome.found.length === 0 && (await work.countStaged()) === 0
    if (isClean && !row.beforeCommit) return outcome
    isClean = false
    row.beforeCommit?.(world)
    const before = row.beforeCommit ? takeSnapshot(world.outer) : opened.before
    await work.release()
    outcome.found.push(...leaks(world, before, row.mustNotChange))
    return outcome
  } finally {
    if (isClean && !row.setUp && !spare) spare = place
    else await closePlace(place)
  }
}

const stylesOf = (row: Attack): readonly CallStyle[] => (row.once ? ['sync'] : CALL_STYLES)

/** The call styles of a row, grouped by tree: all in one, or each in its own. */
const trialsOf = (row: Attack): (readonly CallStyle[])[] =>
  process.env.ESCROWFS_ATTACKS === 'apart' ? stylesOf(row).map((style) => [style]) : [stylesOf(row)]

describe.each(ATTACKS)('$kind', ({ rows }) => {
  it.each(rows)('$name', async (row) => {
    const styles: CallStyle[] = []
    for (const trial of trialsOf(row)) {
      const outcome = await tryRow(row, trial)
      expect(outcome.found, trial.join(', ')).toEqual([])
      styles.push(...outcome.styles)
    }
    expect(styles).not.toEqual([])
  })
})

it('has at least 150 rows', () => {
  expect(ATTACKS.flatMap(({ rows }) => rows).length).toBeGreaterThanOrEqual(150)
})
