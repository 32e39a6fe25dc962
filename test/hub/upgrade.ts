import { expect, it } from 'vitest'
import { changeKey } from '../../src/hub/change-key.js'
import { migrate } from '../../src/hub/migrate.js'
import { MIGRATIONS } from '../../src/hub/migrations.js'
import { inScope } from '../../src/hub/scope.js'
import type { Database } from '../../src/hub/sql.js'
import { openStores } from '../../src/hub/stores.js'
import { createChange, newScope } from './fixtures.js'

/**
 * The effects of an upgrade on a database of an older version.
 * @param open opens an empty database
 */
export function describeUpgrade(name: string, open: () => Promise<Database>): void {
  it(`an upgrade on ${name} turns earlier decisions into votes, so that a rejection still applies`, async () => {
    const database = await open()
    const scope = newScope()
    const change = createChange('a')
    await migrate(database, MIGRATIONS.slice(0, 1))
    await inScope(database, scope, (query) =>
      query.rows(
        `insert into escrow.decisions (seq, submission, session, key, body, verdict, reason, reviewer, at)
          values (1, 'old', 'agent-1', $1, $2, 'rejected', 'No.', 'Bo', now())`,
        [changeKey(change), JSON.stringify(change)],
      ),
    )
    await migrate(database)
    const { registry, queue } = openStores(database, scope)
    const { epoch } = await registry.open('agent-1', 'laptop')
    const hold = { session: 'agent-1', host: 'laptop', epoch }
    const { id } = await queue.submit(hold, { digest: '1', revision: 1, changes: [change] })
    const request = { keys: [changeKey(change)], verdict: 'approved' as const }
    await queue.decide(id, request, 'Ada')
    expect((await queue.get(id)).changes).toMatchObject([{ verdict: 'rejected', missing: { rejectedBy: ['Bo'] } }])
    await queue.decide(id, request, 'Bo')
    expect((await queue.get(id)).changes).toMatchObject([{ verdict: 'approved' }])
    const stranger = await inScope(database, newScope(), (query) => query.rows('select 1 as one from escrow.votes'))
    expect(stranger).toEqual([])
    const forced = await database.transaction((query) =>
      query.rows(`select relname from pg_class where relnamespace = 'escrow'::regnamespace and relrowsecurity
        and not relforcerowsecurity`),
    )
    expect(forced).toEqual([])
    await database.close()
  })
}
