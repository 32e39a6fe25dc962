import { findPostgres, type Postgres, startPostgres } from '../../test/support/postgres.js'
import type { Bench, Suite } from '../bench.js'
import { memoryPlace } from '../places.js'
import { OURS } from '../report.js'
import { injectFaults } from './faults.js'
import { Fleet, type FleetSize } from './fleet.js'
import { measureLatency } from './latency.js'
import { judge, type Outcome } from './outcome.js'

const SMALL: FleetSize = { hosts: 2, agents: 4, rounds: 3, faults: 15, seed: 1, patience: 15 * 60_000 }
const MIDDLE: FleetSize = { hosts: 5, agents: 10, rounds: 4, faults: 100, seed: 1, patience: 15 * 60_000 }
/** The suite on its own. */
const WHOLE: FleetSize = { hosts: 20, agents: 25, rounds: 4, faults: 1_000, seed: 1, patience: 15 * 60_000 }

/** Simulates a team: machines with agents, hubs on a real PostgreSQL and reviewers, while processes, network and database fail. */
export const fleet: Suite = async (bench) => {
  const programs = findPostgres()
  if (programs === undefined) return bench.skip('a fleet of machines on a hub', 'PostgreSQL is not installed')
  const postgres = await startPostgres(programs, true)
  try {
    await measureFaults(bench, postgres, bench.isThorough ? WHOLE : bench.quick ? SMALL : MIDDLE)
    await measureGrowth(bench, postgres)
  } finally {
    postgres.stop()
  }
}

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

/** Runs a fleet while faults happen, and judges the result. @throws Error if the fleet does not end */
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

async function measureGrowth(bench: Bench, postgres: Postgres): Promise<void> {
  for (const agents of bench.quick ? [10] : [50, 500]) {
    const { plain, claim, visible } = await measureLatency(postgres.url, agents)
    const values = { 'a plain insert': plain, 'a claim': claim, 'a submission, until the queue has it': visible }
    bench.values(
      `${agents} agents at once, 99 of 100 calls took at most`,
      'ns',
      Object.entries(values).map(([name, value]) => ({ name, value: value * 1e6 })),
    )
  }
}
