import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { type Child, startChild } from '../children/run.js'
import { metadataOf, recordsOf, type TestWorkspace, testWorkspace } from '../support/workspace.js'

/** `npm run soak -- commit` sets 16 processes and 500 increments each. */
const PROCESSES = Number(process.env.ESCROWFS_COUNTERS ?? 4)
const TIMES = Number(process.env.ESCROWFS_INCREMENTS ?? 6)

async function linesOf(child: Child): Promise<string[]> {
  const lines: string[] = []
  for (let line = await child.line(); line !== undefined; line = await child.line()) lines.push(line)
  return lines
}

function counterAt(project: TestWorkspace): number {
  return Number(readFileSync(`${project.root}/src/counter.txt`, 'utf8'))
}

/** Expects that every number up to the counter was committed once and is in the ledger. */
async function expectCounted(project: TestWorkspace, acknowledged: readonly string[], kills: number): Promise<void> {
  const workspace = await project.open()
  const counter = counterAt(project)
  expect(new Set(acknowledged).size).toBe(acknowledged.length)
  expect(counter).toBeGreaterThanOrEqual(acknowledged.length)
  expect(counter).toBeLessThanOrEqual(acknowledged.length + kills)
  const commits = (await recordsOf(workspace)).filter((record) => metadataOf(record).type === 'commit')
  expect(commits).toHaveLength(counter)
  expect(await workspace.ledger.verify()).toMatchObject({ ok: true })
}

it(`${PROCESSES} processes count to ${PROCESSES * TIMES}, and no number is lost or repeated`, async () => {
  const project = testWorkspace({ 'src/counter.txt': '0\n' })
  const since = performance.now()
  const children = Array.from({ length: PROCESSES }, (_, n) =>
    startChild('counting.ts', project.root, `agent-${n}`, String(TIMES)),
  )
  const acknowledged = (await Promise.all(children.map(linesOf))).flat()
  expect(acknowledged).toHaveLength(PROCESSES * TIMES)
  await expectCounted(project, acknowledged, 0)
  expect(counterAt(project)).toBe(PROCESSES * TIMES)
  const seconds = (performance.now() - since) / 1000
  console.log(`${PROCESSES} processes: ${(acknowledged.length / seconds).toFixed(1)} commits a second`)
})

it('processes that are killed at random and restarted lose and repeat no number', async () => {
  const project = testWorkspace({ 'src/counter.txt': '0\n' })
  const acknowledged: string[] = []
  let kills = 0
  const worker = async (n: number) => {
    for (let mine = 0; mine < TIMES; ) {
      const child = startChild('counting.ts', project.root, `agent-${n}`, String(TIMES - mine))
      const lines = linesOf(child)
      // Some runs are not killed: a process that is always killed while it opens would never count.
      if (Math.random() < 0.6) {
        await sleep(300 + Math.random() * 900)
        kills += 1
        await child.kill()
      }
      const done = await lines
      mine += done.length
      acknowledged.push(...done)
    }
  }
  await Promise.all(Array.from({ length: PROCESSES }, (_, n) => worker(n)))
  await expectCounted(project, acknowledged, kills)
  console.log(`${kills} kills, ${counterAt(project) - acknowledged.length} commits were done but not acknowledged`)
})
