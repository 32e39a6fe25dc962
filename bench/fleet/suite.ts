import { findPostgres, type Postgres, startPostgres } from '../../test/support/postgres.js'
import type { Bench, Suite } from '../bench.js'
import { memoryPlace } from '../places.js'
import { OURS } from '../report.js'
import { injectFaults } from './faults.js'
import { Fleet, type FleetSize } from './fleet.js'
import { measureLanding } from './landing.js'
import { measureCalls } from './latency.js'
import { measureLedger } from './ledger.js'
import { judge, type Outcome } from './outcome.js'

const SMALL: FleetSize = { hosts: 2, agents: 4, rounds: 3, faults: 15, seed: 1, patience: 15 * 60_000 }
const MIDDLE: FleetSize = { hosts: 5, agents: 10, rounds: 4, faults: 100, seed: 1, patience: 15 * 60_000 }
/** The whole suite. */
const WHOLE: FleetSize = { hosts: 20, agents: 25, rounds: 4, faults: 1_000, seed: 1, patience: 60 * 60_000 }

/** Runs a part of the fleet's measurements with a separate PostgreSQL server, whose commits are synced to disk. */
function withPostgres(title: string, measure: (bench: Bench, postgres: Postgres) => Promise<void>): Suite {
  return async (bench) => {
    const programs = findPostgres()
    if (programs === undefined) return bench.skip(title, 'PostgreSQL is not installed')
    const postgres = await startPostgres(programs, true)
    try {
      await measure(bench, postgres)
    } finally {
      postgres.stop()
    }
  }
}

/** A team on a real PostgreSQL. Each part is a suite; `fleet` runs all of them. */
export const FLEET: Readonly<Record<string, Suite>> = {
  'fleet-faults': withPostgres('a fleet of machines on a hub', (bench, postgres) =>
    measureFaults(bench, postgres, bench.isThorough ? WHOLE : bench.quick ? SMALL : MIDDLE),
  ),
  'fleet-calls': withPostgres('calls of agents to a hub', (bench, { url }) => measureCalls(bench, url)),
  'fleet-ledger': withPostgres('the ledger of a hub', (bench, { url }) => measureLedger(bench, url)),
  'fleet-landing': withPostgres('landings', (bench, { url }) => measureLanding(bench, url)),
}

/** Machines with agents, hubs and reviewers, while processes, network and database fail. */
async function measureFaults(bench: Bench, postgres: Postgres, size: FleetSize): Promise<void> {
  const { path } = memoryPlace()
  const { outcome, faults, decisions } = await simulate(postgres, `${path}/fleet`, size)
  const title = `${size.hosts * size.agents} agents on ${size.hosts} hosts, ${decisions} decisions`
  bench.values(
    `${title}: faults`,
    'count',
    [...faults].map(([name, value]) => ({ name, value })),
  )
  for (const [what, places] of Object.entries(outcome))
    bench.values(`${title}: ${what}`, 'count', [{ name: OURS, value: places.length }], { of: 'value', atMost: 0 })
}

/** Runs a fleet with faults, and judges the result. @throws Error if the fleet does not end */
export async function simulate(
  postgres: Postgres,
  path: string,
  size: FleetSize,
): Promise<{ outcome: Outcome; faults: Map<string, number>; decisions: number }> {
  const fleet = await Fleet.start(postgres, path, size)
  try {
    const faults = await injectFaults(fleet, size.faults)
    const isDone = await fleet.finish(size.patience)
    await fleet.stopWork()
    const outcome = await judge(fleet, size)
    if (!isDone)
      throw new Error(`The fleet has not ended: ${JSON.stringify(outcome)} ${await fleet.state()} ${fleet.errors}`)
    return { outcome, faults, decisions: fleet.reviewers.reduce((sum, each) => sum + each.decisions, 0) }
  } finally {
    await fleet.stop()
  }
}
