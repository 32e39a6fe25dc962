import type { Sql } from 'postgres'
import { packageMissing } from './package-missing.js'
import { retried } from './retry.js'
import { assertStorable, CHANNEL, type Database, type Query, type Row, type SqlValue } from './sql.js'

const CONNECTIONS = 8
const CONNECT_SECONDS = 10

/**
 * Opens a PostgreSQL server's database. `listen` has a connection of its own, which must not go through a pooler of transactions.
 * @param url `postgres://user:password@host/database`
 */
export async function openPostgres(url: string, connections = CONNECTIONS): Promise<Database> {
  const { default: postgres } = await import('postgres').catch((error: unknown) => {
    throw packageMissing('postgres', error)
  })
  const sql = postgres(url, {
    max: connections,
    connect_timeout: CONNECT_SECONDS,
    onnotice: () => undefined,
    connection: { application_name: 'escrow hub' },
  })
  return {
    transaction: (work) => retried(() => inTransaction(sql, work)),
    async listen(wake) {
      // The last function runs at each new connection: a notice may have been lost before it.
      const { unlisten } = await sql.listen(CHANNEL, wake, wake)
      return unlisten
    },
    close: () => sql.end({ timeout: 5 }),
  }
}

async function inTransaction<T>(sql: Sql, work: (query: Query) => Promise<T>): Promise<T> {
  const done = await sql.begin('isolation level read committed', async (open) => {
    const query: Query = {
      rows: (text, values) => run(open, text, values),
      script: async (text) => void (await open.unsafe(text)),
    }
    // In an object, because the driver awaits each element of an array that it is given.
    return { result: await work(query) }
  })
  return done.result
}

/** Runs a statement. Each connection prepares it once: later calls take one round trip instead of two. */
async function run(sql: Pick<Sql, 'unsafe'>, text: string, values: readonly SqlValue[] = []): Promise<Row[]> {
  return [...(await sql.unsafe<Row[]>(text, [...assertStorable(values)], { prepare: true }))]
}
