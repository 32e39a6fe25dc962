import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { openWorkspace } from '../../src/index.js'
import { KILLS, runAndKill, SLOW } from '../children/run-and-kill.js'
import { after, type Model, NAMES, NOTHING, type State, stepOf } from '../children/steps.js'
import { metadataOf, recordsOf, testWorkspace } from '../support/workspace.js'

it(`a stage killed at ${KILLS} random moments has every call that returned, with its content`, SLOW, async () => {
  const project = testWorkspace()
  let state: State = NOTHING
  let done = 0
  const returned: number[] = []
  for (let kill = 0; kill < KILLS; kill += 1) {
    const last = await runAndKill('stager.ts', project.root, done + 1, kill % 4, Math.random() * 40)
    for (let n = done + 1; n <= last; n += 1) {
      state = after(state, stepOf(n))
      returned.push(n)
    }
    const workspace = await openWorkspace(project.root)
    const session = await workspace.session({ id: 'agent' })
    const readModel = (): Model =>
      new Map(
        NAMES.filter((name) => session.fs.existsSync(name)).map((name) => [
          name,
          session.fs.readFileSync(name, 'utf8'),
        ]),
      )
    const model = readModel()
    const names = new Set((await session.snapshots()).flatMap(({ name }) => name ?? []))
    // One more call may be on disk although the child was killed before it printed the number. It is there completely
    // or not at all.
    const next = after(state, stepOf(last + 1))
    const isModel = ({ files, saved }: State) => isSameModel(files, model) && names.size === saved.size
    const whole = [state, next].find(isModel)
    const message = `after ${last} calls: ${JSON.stringify([...model])} is not ${JSON.stringify([...state.files])}`
    expect(whole, message).toBeDefined()
    done = last + (whole === state ? 0 : 1)
    state = whole ?? state
    // Every acknowledged snapshot is unchanged.
    const [name, files] = [...state.saved][kill % Math.max(1, state.saved.size)] ?? []
    const snapshot = name === undefined ? undefined : (await session.snapshots()).findLast((each) => each.name === name)
    if (files !== undefined) {
      const { left } = await session.travel(snapshot?.id ?? 'none')
      expect([...readModel()].sort()).toEqual([...files].sort())
      await session.travel(left.id)
      expect([...readModel()].sort()).toEqual([...model].sort())
    }
    expect(await workspace.ledger.verify()).toMatchObject({ ok: true })
    await workspace.close()
    for (const name of NAMES) expect(existsSync(`${project.root}/${name}`)).toBe(false)
  }
  const workspace = await project.open()
  const calls = (await recordsOf(workspace)).filter((record) => metadataOf(record).type === 'tool_call')
  // Each tool call that returned is in the ledger exactly once.
  const ids = calls.map((record) => record.req_id)
  expect(new Set(ids).size).toBe(ids.length)
  const numbers = ids.map((id) => Number.parseInt(String(id), 10))
  expect(numbers).toEqual(expect.arrayContaining(returned.filter((n) => n % 5 === 0)))
})

function isSameModel(a: Model, b: Model): boolean {
  return a.size === b.size && [...a].every(([name, text]) => b.get(name) === text)
}
