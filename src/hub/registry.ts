import { type Clock, lastsAsSql, nowAsSql } from './clock.js'
import { HubError } from './hub-error.js'
import { changing, inScope, onlyRow } from './scope.js'
import { type Database, numberOf, type Query, textOf } from './sql.js'
import type { Hold, Registry, Scope } from './types.js'

/** Milliseconds for which a host keeps a session without a heartbeat. */
const LEASE_MS = 90_000
/** Usable as a file name. Hosts put their own name before a session's. */
const SESSION = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,149}$/
const LEASE = `escrow_now + interval '${LEASE_MS} milliseconds'`

export function createRegistry(database: Database, scope: Scope, clock: Clock): Registry {
  return {
    open: (session, host) =>
      changing(database, scope, async (query) => {
        if (!SESSION.test(session)) throw new HubError('invalid', 'The id of the session is not one.')
        return take(query, session, host, clock)
      }),
    beat: (hold) =>
      changing(database, scope, async (query) => {
        await assertHeld(query, hold, clock)
        const [row] = await query.rows(
          `with time as (select ${nowAsSql(2)} as escrow_now)
            update escrow.sessions set until = ${LEASE} from time where id = $1 returning until::text as until`,
          [hold.session, clock()],
        )
        return { epoch: hold.epoch, until: textOf(onlyRow([row ?? {}]), 'until') }
      }),
    sessions: () =>
      inScope(database, scope, async (query) => {
        const rows = await query.rows(
          'select id, host, epoch::float8 as epoch, until::text as until from escrow.sessions order by id',
        )
        return rows.map((row) => ({
          id: textOf(row, 'id'),
          host: textOf(row, 'host'),
          epoch: numberOf(row, 'epoch'),
          until: textOf(row, 'until'),
        }))
      }),
    putIntent: ({ id, name, status }) =>
      changing(database, scope, async (query) => {
        await query.rows(
          `insert into escrow.intents (id, name, status) values ($1, $2, $3)
            on conflict (tenant, workspace, id) do update set name = $2, status = $3`,
          [id, name, status],
        )
      }),
    intents: () =>
      inScope(database, scope, async (query) => {
        const rows = await query.rows('select id, name, status from escrow.intents order by id')
        return rows.map((row) => ({
          id: textOf(row, 'id'),
          name: textOf(row, 'name'),
          status: textOf(row, 'status'),
        }))
      }),
  }
}

async function take(query: Query, session: string, host: string, clock: Clock) {
  const rows = await query.rows(
    `with time as (select ${nowAsSql(3)} as escrow_now)
      insert into escrow.sessions as held (id, host, epoch, until) select $1, $2, 1, ${LEASE} from time
      on conflict (tenant, workspace, id) do update
        set host = excluded.host, epoch = held.epoch + 1, until = excluded.until
        where held.host = excluded.host or not ${lastsAsSql('held.until', nowAsSql(3), LEASE_MS)}
      returning epoch::float8 as epoch, until::text as until`,
    [session, host, clock()],
  )
  const [row] = rows
  if (row === undefined)
    throw new HubError(
      'held',
      `Another host has session ${session}. It is free ${LEASE_MS / 1000} seconds after that host's last heartbeat.`,
    )
  return { epoch: numberOf(row, 'epoch'), until: textOf(row, 'until') }
}

/** @throws HubError `fenced` unless the caller has the session now. Call it within the transaction that depends on it. */
export async function assertHeld(query: Query, { session, host, epoch }: Hold, clock: Clock): Promise<void> {
  const rows = await query.rows(
    `select 1 as held from escrow.sessions
      where id = $1 and host = $2 and epoch = $3::float8::bigint and until > ${nowAsSql(4)}`,
    [session, host, epoch, clock()],
  )
  if (rows.length === 0)
    throw new HubError(
      'fenced',
      `The lease on session ${session} is over, or passed to another owner. Open the session again.`,
    )
}
