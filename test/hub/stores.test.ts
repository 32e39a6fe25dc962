import { describeHub } from './conformance.js'
import { trialDatabase } from './fixtures.js'

/** One for all connections: PGlite has a single connection, and its transactions wait for each other. */
describeHub('PGlite', trialDatabase)
