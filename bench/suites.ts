import { agent } from './agent/suite.js'
import type { Suite } from './bench.js'
import { commit } from './commit.js'
import { exec } from './exec.js'
import { facade } from './facade/suite.js'
import { FLEET } from './fleet/suite.js'
import { frontier } from './frontier/suite.js'
import { hooks } from './hooks.js'
import { ledger } from './ledger.js'
import { lines } from './lines/suite.js'
import { memory } from './memory.js'
import { open } from './open.js'
import { policy } from './policy.js'
import { review } from './review.js'
import { risk } from './risk/suite.js'
import { scale } from './scale.js'
import { trace } from './trace.js'

/** The suites in the order in which they run. */
export const SUITES: Readonly<Record<string, Suite>> = {
  ...{ hooks, facade, policy, commit, open, trace, exec, review, risk, agent, memory, lines, scale, ledger, frontier },
  ...FLEET,
}
