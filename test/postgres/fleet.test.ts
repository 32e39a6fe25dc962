import { expect, inject, it, onTestFinished } from 'vitest'
import { sha256hex } from '../../overlay/index.js'
import { changeKey } from '../../src/hub/change-key.js'
import { migrate } from '../../src/hub/migrate.js'
import { openPostgres } from '../../src/hub/postgres.js'
import { openStores } from '../../src/hub/stores.js'
import { addToken } from '../../src/hub/tokens.js'
import type { Role } from '../../src/hub/types.js'
import { serveHub } from '../../src/hub-server/index.js'
import { HubRefusal } from '../../src/remote/ask.js'
import { RemoteSync } from '../../src/remote/index.js'
import { newScope } from '../hub/fixtures.js'
import { connectMachine, reviewerOf } from '../remote/kit.js'
import { startSession } from '../support/workspace.js'
import { faultyLine, faultyNetwork } from './faulty-network.js'

/** A small fleet on PostgreSQL: two hubs, two machines with two agents each, a reviewer, and faults between them. */

const STEPS = 24
const FAULTS = 20
const AGENTS = ['agent-1', 'agent-2'] as const
/** Few, so that an agent often returns to bytes that it had before. */
const TEXTS = ['one\n', 'two\n', 'three\n']

it.each([1, 2])(
  'loses, repeats and changes nothing, whatever the network does (seed %i)',
  async (seed) => {
    const random = randomOf(seed)
    const pick = <T>(from: readonly T[]): T => {
      const found = from[Math.floor(random() * from.length)]
      if (found === undefined) throw new Error('There is nothing to choose from.')
      return found
    }
    const { hub, urls, stores, cutConnections } = await twoHubs()
    const network = await faultyNetwork({ urls, random, faults: FAULTS, cutConnections })
    const machines = await Promise.all(['laptop', 'desk'].map((name) => machineAt(hub, name, network.url)))
    const ada = await reviewerOf(hub)
    let accepted = 0
    for (let step = 0; step < STEPS; step++) {
      const machine = pick(machines)
      const agent = pick(AGENTS)
      machine.write(agent, pick(TEXTS))
      if (random() < 0.2) machine.restart()
      await machine.sync()
      if (random() < 0.5) await network.deliverDelayed()
      const session = `${machine.name}.${pick(AGENTS)}`
      if (!(await ada.queue()).some((each) => each.session === session)) continue
      const verdict = random() < 0.7 ? 'approved' : 'rejected'
      const { status } = await ada.ask(session, verdict, ...(await ada.open(session)).changes.map(({ path }) => path))
      if (status === 204) accepted++
    }
    expect(network.injected()).toBe(FAULTS)
    for (const machine of machines) expect(await machine.sync()).toBe(true)
    await network.deliverDelayed()
    for (const machine of machines) await machine.sync()

    for (const { name, workspace } of machines) {
      const decided = (await stores.queue.since(0, name)).decisions
      for (const agent of AGENTS) {
        const session = `${name}.${agent}`
        const staged = (await (await workspace.review(agent)).changes()).changes.map((change) =>
          Object.assign({ key: changeKey(Object.assign({ risk: 0 }, change)) }, { state: change.state }),
        )
        const queued = staged.length === 0 ? [] : (await ada.open(session)).changes.map(({ key }) => key)
        expect(queued, 'lost').toEqual(staged.map(({ key }) => key))
        for (const { key, state } of staged) {
          const last = decided.filter((each) => each.session === session && each.key === key).at(-1)
          expect(state, 'other bytes than the reviewed ones').toBe(last?.verdict ?? 'pending')
        }
      }
    }
    const all = (await Promise.all(machines.map(({ name }) => stores.queue.since(0, name)))).flatMap(
      ({ decisions }) => decisions,
    )
    expect(new Set(all.map(({ seq }) => seq)).size, 'doubled').toBe(all.length)
    expect(all.length, 'lost or doubled decisions').toBe(accepted)
    const lines = await stores.ledger.read('audit', 0)
    expect(lines.map(({ line }) => JSON.parse(line).prev)).toEqual([
      null,
      ...lines.slice(0, -1).map(({ sha256 }) => sha256),
    ])
    expect(lines.map(({ line }) => sha256hex(line))).toEqual(lines.map(({ sha256 }) => sha256))
  },
  600_000,
)

/** Numbers from 0 to 1, the same for a seed. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

async function twoHubs() {
  const scope = newScope()
  const line = await faultyLine(inject('hubDatabase'))
  const [first, second] = [await openPostgres(line.url), await openPostgres(line.url)]
  const outside = await openPostgres(inject('hubDatabase'))
  await migrate(outside)
  const errors: unknown[] = []
  const report = (error: unknown) => errors.push(error)
  const served = [await serveHub({ database: first, report }), await serveHub({ database: second, report })]
  onTestFinished(async () => {
    for (const each of served) await each.close()
    for (const each of [first, second, outside]) await each.close()
  })
  const urls = served.map(({ url }) => url)
  const token = (name: string, role: Role) => addToken(outside, Object.assign({ name, role }, scope))
  return {
    hub: { url: urls[0] ?? '', scope, errors, token },
    urls,
    stores: openStores(outside, scope),
    cutConnections: line.cut,
  }
}

async function machineAt(hub: Parameters<typeof connectMachine>[0], name: string, url: string) {
  const { workspace, session } = await connectMachine(hub, name, url)
  const sessions = { 'agent-1': session, 'agent-2': await startSession(workspace, 'agent-2') }
  const start = () => new RemoteSync(workspace, () => undefined)
  let syncing = start()
  return {
    name,
    workspace,
    write: (agent: (typeof AGENTS)[number], text: string) => sessions[agent].fs.writeFileSync(`src/${agent}.ts`, text),
    /** Another process of the machine continues, and knows only the state on disk. */
    restart() {
      syncing = start()
    },
    /** Returns whether it succeeded. */
    async sync(): Promise<boolean> {
      try {
        await syncing.once()
        return true
      } catch (error) {
        if (error instanceof HubRefusal && error.code === 'away') return false
        throw error
      }
    },
  }
}
