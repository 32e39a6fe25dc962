import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { openWorkspace } from '../../src/index.js'
import { KILLS, killed, SLOW } from '../children/killed.js'
import { after, type Model, NAMES, stepOf } from '../children/steps.js'
import { own, recordsOf, testWorkspace } from '../support/workspace.js'

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
