import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openWorkspace } from '../../src/index.js'
import { FILES } from '../children/rounds.js'
import { startChild } from '../children/run.js'
import { after, type Model, NAMES, stepOf } from '../children/steps.js'
import { own, recordsOf, testWorkspace } from '../support/workspace.js'

/** How many times each kind of work is killed: 50 in all. */
const KILLS = 25
const SLOW = { timeout: 180_000 }

/** Starts the child at a number, lets it say some more, kills it some moment later. Answers the last number it said. */
async function killed(file: string, root: string, from: number, says: number, delay: number): Promise<number> {
  const child = startChild(file, root, String(from))
  let last = from - 1
  const listen = async (until: number) => {
    while (last < until) {
      const line = await child.line()
      if (line === undefined) return
      last = Number(line)
    }
  }
  await listen(from - 1 + says)
  await sleep(delay)
  await child.kill()
  await listen(Number.POSITIVE_INFINITY)
  expect(last).toBeGreaterThanOrEqual(from - 1 + says)
  // One killed in the moment it takes or leaves a lock is waited for ten seconds; the test knows that it is dead.
  rmSync(`${root}/.orchestration/locks`, { recursive: true, force: true })
  return last
}

it(`a stage killed at ${KILLS} random moments has every call that returned, with its content`, SLOW, async () => {
  const at = testWorkspace()
  let model: Model = new Map()
  let done = 0
  const returned: number[] = []
  for (let kill = 0; kill < KILLS; kill += 1) {
    const said = await killed('stager.ts', at.root, done + 1, kill % 4, Math.random() * 40)
    for (let n = done + 1; n <= said; n += 1) {
      model = after(model, stepOf(n))
      returned.push(n)
    }
    const workspace = await openWorkspace(at.root)
    const session = await workspace.session({ id: 'agent' })
    const seen: Model = new Map(
      NAMES.filter((name) => session.fs.existsSync(name)).map((name) => [name, session.fs.readFileSync(name, 'utf8')]),
    )
    // One more call may have been written though its return was never seen; it is all there or not at all.
    const next = after(model, stepOf(said + 1))
    const whole = [model, next].find((each) => same(each, seen))
    expect(
      whole,
      `after ${said} calls: ${JSON.stringify([...seen])} is not ${JSON.stringify([...model])}`,
    ).toBeDefined()
    done = said + (whole === model ? 0 : 1)
    model = seen
    expect(await workspace.ledger.verify()).toMatchObject({ ok: true })
    await workspace.close()
    for (const name of NAMES) expect(existsSync(`${at.root}/${name}`)).toBe(false)
  }
  const workspace = await at.open()
  const calls = (await recordsOf(workspace)).filter((record) => own(record).type === 'tool_call')
  // Each tool call that returned is in the ledger, once.
  const ids = calls.map((record) => record.req_id)
  expect(new Set(ids).size).toBe(ids.length)
  const numbers = ids.map((id) => Number.parseInt(String(id), 10))
  expect(numbers).toEqual(expect.arrayContaining(returned.filter((n) => n % 5 === 0)))
})

function same(a: Model, b: Model): boolean {
  return a.size === b.size && [...a].every(([name, text]) => b.get(name) === text)
}

it(`a commit killed at ${KILLS} random moments is all there or not at all, and the ledger agrees`, SLOW, async () => {
  const at = testWorkspace()
  mkdirSync(`${at.root}/src/deep`, { recursive: true })
  let done = 0
  for (let kill = 0; kill < KILLS; kill += 1) {
    const said = await killed('committing.ts', at.root, done + 1, kill % 3, Math.random() * 60)
    const workspace = await openWorkspace(at.root)
    const onDisk = new Set(FILES.map((path) => roundOf(`${at.root}/${path}`)))
    expect([...onDisk]).toHaveLength(1)
    const [round = -1] = onDisk
    expect([said, said + 1]).toContain(round)
    const commits = (await recordsOf(workspace)).map(own).filter(({ type }) => type === 'commit')
    expect(commits).toHaveLength(round)
    expect(new Set(commits.map(({ tx }) => tx)).size).toBe(round)
    expect(await workspace.ledger.verify()).toMatchObject({ ok: true })
    const session = await workspace.session({ id: 'agent' })
    const { changes } = await session.changes()
    for (const path of FILES) {
      const staged = changes.some((change) => change.path === path)
      const seen = session.fs.existsSync(path) ? session.fs.readFileSync(path, 'utf8') : 'round 0\n'
      expect(seen).toBe(`round ${staged ? round + 1 : round}\n`)
    }
    await workspace.close()
    done = round
  }
})

function roundOf(path: string): number {
  return existsSync(path) ? Number(/\d+/.exec(readFileSync(path, 'utf8'))?.[0]) : 0
}
