import { inject } from 'vitest'
import { openPostgres } from '../../src/hub/postgres.js'
import { describeUpgrade } from '../hub/upgrade.js'
import { otherDatabase } from '../support/postgres.js'

describeUpgrade('PostgreSQL', () => openPostgres(otherDatabase(inject('hubDatabase'), 'older')))
