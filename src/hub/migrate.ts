import { sha256hex } from '../../overlay/index.js'
import { HubError } from './hub-error.js'
import { MIGRATIONS } from './migrations.js'
import { type Database, numberOf, type Query, textOf } from './sql.js'

/** A number of our own, for the advisory lock that lets one process migrate at a time. */
const LOCK = 7_301_946_112

/**
 * Runs the migrations that the database lacks, in order, in one transaction.
 * @throws HubError `refused` if the database has a newer migration, or another one of the same number
 */
export function migrate(database: Database, migrations: readonly string[] = MIGRATIONS): Promise<void> {
  return database.transaction(async (query) => {
    await query.rows('select pg_advisory_xact_lock($1::float8::bigint)', [LOCK])
    await query.script(TABLE)
    const done = await query.rows('select number::float8 as number, sha256 from escrow.migrations order by number')
    for (const row of done) assertKnown(numberOf(row, 'number'), textOf(row, 'sha256'), migrations)
    for (const [at, sql] of migrations.entries()) if (at >= done.length) await apply(query, at + 1, sql)
  })
}

const TABLE = `create schema if not exists escrow;
create table if not exists escrow.migrations (
  number int primary key, sha256 text not null, at timestamptz not null default now());`

async function apply(query: Query, number: number, sql: string): Promise<void> {
  await query.script(sql)
  await query.rows('insert into escrow.migrations (number, sha256) values ($1, $2)', [number, sha256hex(sql)])
}

function assertKnown(number: number, sha256: string, migrations: readonly string[]): void {
  const sql = migrations[number - 1]
  if (sql !== undefined && sha256hex(sql) === sha256) return
  const why = sql === undefined ? 'is newer than this version of escrow knows' : 'is not the one of this version'
  throw new HubError(
    'refused',
    `Migration ${number} of the database ${why}. Install the version that made it, or newer.`,
  )
}
