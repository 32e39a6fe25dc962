import { trialDatabase } from '../hub/fixtures.js'
import { describeLanding } from './conformance.js'

describeLanding('PGlite', trialDatabase)
