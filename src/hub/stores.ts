import { createClaims } from './claims.js'
import { type Clock, DATABASE_CLOCK } from './clock.js'
import { createContents } from './contents.js'
import { createLandings } from './landings.js'
import { createLedger } from './ledger.js'
import { createMachineLedgers } from './machine-ledgers.js'
import { createQueue } from './queue.js'
import { createRegistry } from './registry.js'
import { createRules } from './review-rules.js'
import type { Database } from './sql.js'
import type { Scope, Stores } from './types.js'

/** Returns the stores of a tenant's workspace. @param clock for leases and claims; by default the database's */
export function openStores(database: Database, scope: Scope, clock: Clock = DATABASE_CLOCK): Stores {
  return {
    registry: createRegistry(database, scope, clock),
    claims: createClaims(database, scope, clock),
    queue: createQueue(database, scope, clock),
    ledger: createLedger(database, scope),
    machines: createMachineLedgers(database, scope),
    contents: createContents(database, scope),
    rules: createRules(database, scope),
    landings: createLandings(database, scope, clock),
  }
}
