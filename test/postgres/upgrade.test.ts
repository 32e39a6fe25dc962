import { inject } from 'vitest'
import { openPostgres } from '../../src/hub/postgres.js'
import { describeUpgrade } from '../hub/upgrade.js'

describeUpgrade('PostgreSQL', () => openPostgres(`${inject('hubDatabase').replace(/\/hub$/, '')}/older`))
