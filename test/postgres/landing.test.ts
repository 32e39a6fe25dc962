import { inject } from 'vitest'
import { migrate } from '../../src/hub/migrate.js'
import { openPostgres } from '../../src/hub/postgres.js'
import { describeLanding } from '../landing/conformance.js'
import { otherDatabase } from '../support/postgres.js'

describeLanding('PostgreSQL', async () => {
  const database = await openPostgres(otherDatabase(inject('hubDatabase'), 'landing'))
  await migrate(database)
  return database
})
