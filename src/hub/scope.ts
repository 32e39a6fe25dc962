import { CHANNEL, type Database, numberOf, type Query, type Row } from './sql.js'
import type { Scope } from './types.js'

/** The rights of a tenant's workspace, $1 and $2, for the rest of a transaction. */
const ENTER = `set_config('escrow.tenant', $1, true), set_config('escrow.workspace', $2, true),
  set_config('role', 'escrow_member', true)`
/** A lock of the workspace $1 and $2, or of a path of it. It is held until the transaction ends. */
const lockOf = (kind: 'xact_lock' | 'xact_lock_shared', path?: number) =>
  `pg_advisory_${kind}(hashtextextended($1 || chr(31) || $2${path === undefined ? '' : ` || chr(31) || $${path}`}, 0))`

/** Runs `work` with the rights of a tenant's workspace: row security hides all other rows, whatever a query asks for. */
export function inScope<T>(database: Database, scope: Scope, work: (query: Query) => Promise<T>): Promise<T> {
  return database.transaction(async (query) => {
    await enterScope(query, scope)
    return work(query)
  })
}

/** Gives the rest of a transaction the rights of a tenant's workspace, and no others. */
export async function enterScope(query: Query, { tenant, workspace }: Scope): Promise<void> {
  await query.rows(`select ${ENTER}`, [tenant, workspace])
}

/** As {@link inScope}, for changes: one at a time in a workspace, so that their order is that of the sequence. */
export function changing<T>(database: Database, scope: Scope, work: (query: Query) => Promise<T>): Promise<T> {
  return database.transaction(async (query) => {
    await query.rows(`select ${ENTER}, ${lockOf('xact_lock')}`, [scope.tenant, scope.workspace])
    return work(query)
  })
}

/**
 * As {@link changing}, for an operation on one path that takes no number of the sequence. It waits for such operations
 * at paths above or below, and for all changes by {@link changing}. Locks are taken from the root down, so that no two
 * transactions wait for each other.
 * @param paths the path, after those above it from the root on
 */
export function changingPath<T>(
  database: Database,
  { tenant, workspace }: Scope,
  paths: readonly string[],
  work: (query: Query) => Promise<T>,
): Promise<T> {
  return database.transaction(async (query) => {
    const locks = paths.map((_, at) => lockOf(at < paths.length - 1 ? 'xact_lock_shared' : 'xact_lock', at + 3))
    await query.rows(`select ${[ENTER, lockOf('xact_lock_shared'), ...locks].join(', ')}`, [
      tenant,
      workspace,
      ...paths,
    ])
    return work(query)
  })
}

/** Waits for the other changes of the workspace, and holds the lock until the transaction ends. */
export async function lockWorkspace(query: Query, { tenant, workspace }: Scope): Promise<void> {
  await query.rows(`select ${lockOf('xact_lock')}`, [tenant, workspace])
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
