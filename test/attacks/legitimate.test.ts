import { expect, it } from 'vitest'
import { CALL_STYLES, type CallStyle, UnsupportedOp } from './call-styles.js'
import { type Legitimate, legitimate, runSteps } from './rows/legitimate.js'
import { nodeItself, type OpenWorld, openWorld, perform, startAgent } from './subjects.js'
import { newWorld, type TreeSnapshot, takeSnapshot, type World } from './world.js'

/** Ordinary work succeeds in every call style, and leaves the same tree as Node. */

const isMissing = (result: unknown) => result instanceof UnsupportedOp

/** The tree without times, and without the directory of the world in the targets of links. */
function normalize(world: World, tree: TreeSnapshot): string[] {
  return [...tree]
    .map(([name, { print }]) => `${name} ${print.replace(/^(\d+ \d+:\d+) \S+/, '$1')}`.replaceAll(world.outer, ''))
    .sort()
}

async function treeByNode(row: Legitimate): Promise<string[]> {
  const world = newWorld()
  try {
    await perform(
      async (run) => {
        expect((await runSteps(run, row, isMissing)).refused).toEqual([])
      },
      nodeItself,
      'sync',
      world,
    )
    return normalize(world, takeSnapshot(world.outer))
  } finally {
    world.dispose()
  }
}

interface Outcome {
  readonly refused: unknown[]
  readonly tree: string[]
}

/** Undefined if the call style does not support all of the steps. */
async function outcomeBySession(row: Legitimate, style: CallStyle, opened: OpenWorld): Promise<Outcome | undefined> {
  const { subject, release, close } = await startAgent(opened)
  let outcome: Awaited<ReturnType<typeof runSteps>> | undefined
  await perform(
    async (run) => {
      outcome = await runSteps(run, row, isMissing)
    },
    subject,
    style,
    opened.world,
  )
  const isComplete = outcome?.acted === row.steps.length
  if (isComplete) await release()
  await close()
  return outcome && isComplete
    ? { refused: outcome.refused, tree: normalize(opened.world, takeSnapshot(opened.world.outer)) }
    : undefined
}

/** Two call styles for each row, the second by turns; all of them in `npm run soak -- attacks`. */
function stylesOf(row: Legitimate): CallStyle[] {
  const nextStyle = CALL_STYLES[legitimate.indexOf(row) % CALL_STYLES.length]
  const all = process.env.ESCROWFS_ATTACKS === 'apart'
  return CALL_STYLES.filter((style) => all || style === 'sync' || style === nextStyle).filter(
    (style) => style !== 'roo' || !row.rooSkipReason,
  )
}

it.each(legitimate)('$name', async (row) => {
  const tree = await treeByNode(row)
  for (const style of stylesOf(row)) {
    const opened = await openWorld()
    try {
      const outcome = await outcomeBySession(row, style, opened)
      if (outcome) expect(outcome, style).toEqual({ refused: [], tree })
    } finally {
      await opened.close()
    }
  }
})
