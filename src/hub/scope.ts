import { CHANNEL, type Database, numberOf, type Query, type Row } from './sql.js'
import type { Scope } from './types.js'

/** Runs `work` with the rights of a tenant's workspace: row security hides all other rows, whatever a query asks for. */
export function inScope<T>(database: Database, scope: Scope, work: (query: Query) => Promise<T>): Promise<T> {
  return database.transaction(async (query) => {
    await enterScope(query, scope)
    return work(query)
  })
}

/** Gives the rest of a transaction the rights of a tenant's workspace, and no others. */
export async function enterScope(query: Query, { tenant, workspace }: Scope): Promise<void> {
  await query.rows(
    `select set_config('escrow.tenant', $1, true), set_config('escrow.workspace', $2, true),
      set_config('role', 'escrow_member', true)`,
    [tenant, workspace],
  )
}

/** As {@link inScope}, for changes: one at a time in a workspace, so that their order is that of the sequence. */
export function changing<T>(database: Database, scope: Scope, work: (query: Query) => Promise<T>): Promise<T> {
  return inScope(database, scope, async (query) => {
    await lockWorkspace(query, scope)
    return work(query)
  })
}

/** Waits for the other changes of the workspace, and holds the lock until the transaction ends. */
export async function lockWorkspace(query: Query, { tenant, workspace }: Scope): Promise<void> {
  await query.rows('select pg_advisory_xact_lock(hashtextextended($1 || chr(31) || $2, 0))', [tenant, workspace])
}

/** Takes the next number of the workspace's sequence, and wakes those who wait for it once the transaction is committed. */
export async function nextSeq(query: Query): Promise<number> {
  const [row = {}] = await query.rows(
    `insert into escrow.workspaces (seq) values (1)
      on conflict (tenant, workspace) do update set seq = workspaces.seq + 1
      returning seq::float8 as seq, pg_notify('${CHANNEL}', '')::text as woken`,
  )
  return numberOf(row, 'seq')
}

export async function lastSeq(query: Query): Promise<number> {
  const [row] = await query.rows('select seq::float8 as seq from escrow.workspaces')
  return row === undefined ? 0 : numberOf(row, 'seq')
}

/** Returns the only row of a result. */
export function onlyRow([row]: readonly Row[]): Row {
  if (row === undefined) throw new TypeError('The database returned no row.')
  return row
}
