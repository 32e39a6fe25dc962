import { inject } from 'vitest'
import { migrate } from '../../src/hub/migrate.js'
import { openPostgres } from '../../src/hub/postgres.js'
import { describeLanding } from '../landing/conformance.js'

describeLanding('PostgreSQL', async () => {
  const database = await openPostgres(inject('hubDatabase'))
  await migrate(database)
  return database
})
