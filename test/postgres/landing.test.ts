import { expect, inject, it, onTestFinished } from 'vitest'
import { changeKey } from '../../src/hub/change-key.js'
import { removeRepository, setRepository } from '../../src/hub/index.js'
import { migrate } from '../../src/hub/migrate.js'
import { openPostgres } from '../../src/hub/postgres.js'
import type { Database, Query } from '../../src/hub/sql.js'
import { openStores } from '../../src/hub/stores.js'
import { describeLanding } from '../landing/conformance.js'
import { landingKit } from '../landing/kit.js'
import { otherDatabase } from '../support/postgres.js'

async function open(): Promise<Database> {
  const database = await openPostgres(otherDatabase(inject('hubDatabase'), 'landing'))
  await migrate(database)
  return database
}

describeLanding('PostgreSQL', open)

it('no landing stays behind that is queued while the repository is removed', async () => {
  const [one, two] = [await open(), await open()]
  onTestFinished(async () => void (await Promise.all([one.close(), two.close()])))
  const kit = await landingKit(one)
  const change = kit.change('src/a.ts', 'a\n', 'A\n')
  const submission = await kit.submit('laptop.one', change)
  let [removal, isRemoved]: [Promise<void> | undefined, boolean] = [undefined, false]
  const remove = async () => {
    await removeRepository(two, kit.scope)
    isRemoved = true
  }
  const isWaiting = async () => {
    const rows = await two.transaction((query) => query.rows('select 1 as one from pg_locks where not granted'))
    return rows.length > 0
  }
  const watched = after(one, 'insert into escrow.landings', async () => {
    removal ??= remove()
    while (!isRemoved && !(await isWaiting()));
  })
  const { queue } = openStores(watched, kit.scope)
  await queue.decide(submission, { keys: [changeKey(change)], verdict: 'approved' }, 'Ada')
  await removal
  await setRepository(one, Object.assign({ url: kit.remote, branch: 'main', directory: '', checks: [] }, kit.scope))
  expect(await kit.landings()).toEqual({})
})

/** A database that does something after a statement, within its transaction. */
function after(database: Database, start: string, act: () => Promise<void>): Database {
  const transaction: Database['transaction'] = (work) =>
    database.transaction((query) => {
      const watched: Query = Object.assign({}, query, {
        rows: (async (sql, values) => {
          const rows = await query.rows(sql, values)
          if (sql.startsWith(start)) await act()
          return rows
        }) satisfies Query['rows'],
      })
      return work(watched)
    })
  return Object.assign({}, database, { transaction })
}
