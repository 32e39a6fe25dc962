import { cpus } from 'node:os'
import { digest } from '../../overlay/index.js'
import { newId } from '../../src/core/ids.js'
import { addToken, openDatabase } from '../../src/hub/index.js'
import type { Row } from '../../src/hub/sql.js'
import { serveHub } from '../../src/hub-server/index.js'
import { HubClient } from '../../src/remote/hub-client.js'
import type { Bench } from '../bench.js'
import { OURS } from '../report.js'

/** The cost of a call, in milliseconds. */
interface Cost {
  /** Of 100 calls 99 took at most this. */
  readonly most: number
  /** The time of all calls, divided by their number: the calls of all agents in one workspace share it. */
  readonly share: number
  /** Processor time of the whole machine: of the caller, the hub and the database. */
  readonly processor: number
}

interface Costs {
  /** A transaction that inserts a row into a separate table: the cost of PostgreSQL alone. */
  readonly plain: Cost
  readonly claim: Cost
  /** From the start of a submission until the queue of a reviewer has it. */
  readonly visible: Cost
}

const TITLES = [
  ['plain', 'a plain insert'],
  ['claim', 'a claim'],
  ['visible', 'a submission until the queue has it'],
] as const
/** Calls of all agents together. A lease of the hub outlasts these. */
const [CALLS, QUICK_CALLS] = [1_000, 200]
/** Agents of one machine. The hub limits the requests of each machine. */
const PER_MACHINE = 10

/** Measures the 99th percentile of a call's cost, by the number of agents that call at the same time. */
export async function measureCalls(bench: Bench, url: string): Promise<void> {
  const measured: { readonly size: number; readonly costs: Costs }[] = []
  for (const size of bench.quick ? [10, 40] : [50, 100, 250, 500])
    measured.push({ size, costs: await measureCosts(url, size, bench.quick ? QUICK_CALLS : CALLS) })
  for (const [what, title] of TITLES)
    bench.curve(
      `${title}, 99 of 100 calls, by the agents that call at once`,
      measured.map(({ size, costs }) => ({ size, cost: costs[what].most * 1e6 })),
      'agents',
    )
  for (const { size, costs } of measured) {
    for (const [kind, name] of [
      ['processor', 'processor time of the machine for one call'],
      ['share', 'time for one call of all in a workspace'],
    ] as const)
      bench.values(
        `${size} agents at once: ${name}`,
        'ns',
        TITLES.map(([what, title]) => ({ name: title, value: costs[what][kind] * 1e6 })),
      )
    bench.values(
      `a claim of ${size} agents at once, 99 of 100 calls, of a plain insert`,
      'percent',
      [{ name: OURS, value: (100 * costs.claim.most) / costs.plain.most }],
      { of: 'value', atMost: 300 },
    )
  }
}

/**
 * Measures a hub without faults. Each agent makes its calls one after the other, and all agents run at the same time.
 * @param agents how many call at the same time
 * @param calls of all agents together
 */
function measureCosts(url: string, agents: number, calls: number): Promise<Costs> {
  return openDatabase({ url }, async (database) => {
    const scope = { tenant: newId(), workspace: 'latency' }
    const token = (name: string, role: 'host' | 'reviewer') => addToken(database, Object.assign({ name, role }, scope))
    const hub = await serveHub({ database, report: (error) => console.error(error) })
    try {
      const machines = await Promise.all(
        Array.from({ length: Math.ceil(agents / PER_MACHINE) }, async (_, n) => ({
          client: new HubClient({ url: hub.url, token: await token(`machine-${n}`, 'host') }),
          reviewer: await token(`reviewer-${n}`, 'reviewer'),
        })),
      )
      const callers = await Promise.all(
        Array.from({ length: agents }, async (_, agent) => {
          const n = Math.floor(agent / PER_MACHINE)
          const machine = machines[n]
          if (machine === undefined) throw new RangeError('An agent has no machine.')
          const session = `machine-${n}.agent-${agent}`
          return Object.assign({ session, epoch: await machine.client.open(session) }, machine)
        }),
      )
      await database.transaction((query) =>
        query.script('create table if not exists public.plain (id text primary key, body text not null)'),
      )
      const plain = await atOnce(agents, calls, async () => {
        await database.transaction<Row[]>((query) =>
          query.rows('insert into public.plain (id, body) values ($1, $2)', [newId(), 'x'.repeat(200)]),
        )
      })
      const claim = await atOnce(agents, calls, async (agent, call) => {
        const { client, session, epoch } = callerAt(callers, agent)
        await client.claim({ session, epoch, path: `src/${agent}/${call}`, milliseconds: 60_000 })
      })
      for (const { client, session, epoch } of callers) await client.beat(session, epoch)
      const visible = await atOnce(agents, calls, async (agent, call) => {
        const { client, reviewer, session, epoch } = callerAt(callers, agent)
        const after = digest(`${agent} ${call}`)
        const change = { path: 'src/a.ts', kind: 'create', before: null, after, risk: 0 } as const
        await client.submit({ session, epoch, digest: digest(after), revision: call + 1, changes: [change] })
        await assertQueued(hub.url, reviewer, session)
      })
      return { plain, claim, visible }
    } finally {
      await hub.close()
    }
  })
}

function callerAt<T>(callers: readonly T[], agent: number): T {
  const caller = callers[agent]
  if (caller === undefined) throw new RangeError(`There is no agent ${agent}.`)
  return caller
}

async function assertQueued(url: string, token: string, session: string): Promise<void> {
  const response = await fetch(`${url}/v1/queue`, { headers: { authorization: `Bearer ${token}` } })
  const queue = (await response.json()) as readonly { readonly session: string }[]
  if (!queue.some((each) => each.session === session)) throw new Error(`The queue does not have ${session}.`)
}

/** Runs the calls of all agents at once. */
async function atOnce(
  agents: number,
  calls: number,
  call: (agent: number, call: number) => Promise<void>,
): Promise<Cost> {
  const times: number[] = []
  const [began, busy] = [performance.now(), processorTime()]
  await Promise.all(
    Array.from({ length: agents }, async (_, agent) => {
      for (let n = 0; n < calls / agents; n++) {
        const start = performance.now()
        await call(agent, n)
        times.push(performance.now() - start)
      }
    }),
  )
  const share = (performance.now() - began) / times.length
  const processor = (processorTime() - busy) / times.length
  times.sort((a, b) => a - b)
  return { most: times[Math.ceil(times.length * 0.99) - 1] ?? 0, share, processor }
}

/** Milliseconds that the machine's processors have worked. */
function processorTime(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.sys, 0)
}
