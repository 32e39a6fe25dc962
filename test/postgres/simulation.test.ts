import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { Fleet, type FleetSize } from '../../bench/fleet/fleet.js'
import { judge } from '../../bench/fleet/outcome.js'
import { simulate } from '../../bench/fleet/suite.js'
import { DEBIAN, findPostgres, startPostgres } from '../support/postgres.js'

/** The simulation of bench/fleet, small, on its own server that it can crash. */

const SIZE: FleetSize = { hosts: 2, agents: 2, rounds: 2, faults: 0, seed: 7, patience: 120_000 }

async function place() {
  const postgres = await startPostgres(findPostgres() ?? DEBIAN, false)
  const path = mkdtempSync(join(tmpdir(), 'escrowfs-fleet-'))
  onTestFinished(() => {
    postgres.stop()
    rmSync(path, { recursive: true, force: true })
  })
  return { postgres, path }
}

it('a fleet loses nothing, commits nothing twice, and commits approved bytes only, whatever fails', async () => {
  const { postgres, path } = await place()
  const { outcome, faults } = await simulate(postgres, path, Object.assign({}, SIZE, { faults: 8 }))
  expect(outcome).toEqual({ lost: [], doubled: [], unapproved: [], broken: [] })
  expect(faults.size).toBeGreaterThan(0)
})

it('the simulation sees a lost file, other bytes, and a changed audit', async () => {
  const { postgres, path } = await place()
  const fleet = await Fleet.start(postgres, path, SIZE)
  onTestFinished(() => fleet.stop())
  expect(await fleet.finish(SIZE.patience)).toBe(true)
  await fleet.stopWork()
  expect(await judge(fleet, SIZE)).toEqual({ lost: [], doubled: [], unapproved: [], broken: [] })

  const [first, second] = ['round-0', 'round-1'].map((name) => `src/agent-0/${name}.txt`)
  rmSync(`${path}/host-0/${first}`)
  writeFileSync(`${path}/host-0/${second}`, 'other bytes\n')
  await fleet.query(`update escrow.ledgers set line = replace(line, 'reviewer-0', 'reviewer-1')`)
  expect(await judge(fleet, SIZE)).toEqual({
    lost: [`host-0 ${first}`],
    doubled: [],
    unapproved: [`host-0 ${second}`],
    broken: ['the audit of the hub'],
  })
})
