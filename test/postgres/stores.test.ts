import { inject } from 'vitest'
import { migrate } from '../../src/hub/migrate.js'
import { openPostgres } from '../../src/hub/postgres.js'
import { describeHub } from '../hub/conformance.js'

describeHub('PostgreSQL', async () => {
  const database = await openPostgres(inject('hubDatabase'))
  await migrate(database)
  return database
})
