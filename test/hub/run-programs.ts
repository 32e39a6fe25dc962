import fc from 'fast-check'
import type { Database } from '../../src/hub/sql.js'
import { fuzzParameters } from '../support/fuzz.js'
import { Checks } from './program-checks.js'
import { World } from './program-world.js'
import { PROGRAM } from './programs.js'

/** Runs random programs of two hub processes on one database, and checks that the rules of a review hold. */
export function checkPrograms(databases: () => readonly [Database, Database], few: number): Promise<void> {
  return fc.assert(
    fc.asyncProperty(PROGRAM, async ([rules, rounds]) => {
      const world = new World(databases())
      const checks = new Checks(databases()[0], world)
      await world.begin(rules)
      for (const steps of rounds) {
        const revoked = new Set(world.revoked)
        await world.run(steps)
        await checks.afterRound(revoked)
      }
      await checks.atEnd()
      await world.end()
    }),
    fuzzParameters(few),
  )
}
