import { inject, it } from 'vitest'
import { migrate } from '../../src/hub/migrate.js'
import { openPostgres } from '../../src/hub/postgres.js'
import { openTwice } from '../hub/fixtures.js'
import { checkPrograms } from '../hub/run-programs.js'
import { otherDatabase } from '../support/postgres.js'

const databases = openTwice(async () => {
  const database = await openPostgres(otherDatabase(inject('hubDatabase'), 'programs'))
  await migrate(database)
  return database
})

it('nothing is approved or lands without its votes, and nothing is lost, whatever runs at the same time', () =>
  checkPrograms(databases, 15))
