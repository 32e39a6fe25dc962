import { openPglite } from '../../src/hub/pglite.js'
import { describeUpgrade } from './upgrade.js'

describeUpgrade('PGlite', () => openPglite())
