import { utimesSync, writeFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { startSession, testWorkspace } from '../support/workspace.js'

/** Each call of the clock is a second after the last, so that each change is a slice of its own. */
function sliceEachChange(): void {
  let now = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 1_000
    return now
  })
  onTestFinished(() => clock.mockRestore())
}

const PATHS = Array.from({ length: 50 }, (_, n) => `src/${n + 10}.ts`)

async function stagedFiles() {
  const project = testWorkspace(Object.fromEntries(PATHS.map((path) => [path, 'before\n'])))
  const session = await startSession(await project.open())
  for (const path of PATHS) session.fs.writeFileSync(path, 'after\n')
  return { project, review: await (await project.open()).review(session.id) }
}

it('a reading of many changes lets the process do other work', async () => {
  const { review } = await stagedFiles()
  const plain = await review.changes()
  sliceEachChange()
  let isDone = false
  const reading = review.changes().finally(() => {
    isDone = true
  })
  let turns = 0
  for (; !isDone; turns += 1) await setImmediate()
  expect(turns).toBeGreaterThan(PATHS.length)
  expect(await reading).toEqual(plain)
})

it('two readings at the same time are the same', async () => {
  const { review } = await stagedFiles()
  sliceEachChange()
  const [one, two] = await Promise.all([review.changes({ risk: true }), review.changes({ risk: true })])
  expect(one).toEqual(two)
  expect(one.changes.map(({ path, hunks }) => [path, hunks.length])).toEqual(PATHS.map((path) => [path, 1]))
})

it('a file that another program writes during a reading is shown as drifted, also if a verdict reads the stage meanwhile', async () => {
  const { project, review } = await stagedFiles()
  await review.changes()
  sliceEachChange()
  const reading = review.changes()
  await setImmediate()
  writeFileSync(`${project.root}/src/59.ts`, 'of an editor\n')
  // Stats of a file that was written just now are not trusted in any case.
  utimesSync(`${project.root}/src/59.ts`, 1_000, 1_000)
  await review.approve({ paths: ['src/10.ts'] })
  const drifted = (await reading).changes.filter(({ flags }) => flags.includes('drifted'))
  expect(drifted.map(({ path }) => path)).toEqual(['src/59.ts'])
})
