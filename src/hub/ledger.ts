import { sha256hex } from '../../overlay/index.js'
import { inScope } from './scope.js'
import { type Database, numberOf, type Query, type Row, textOf } from './sql.js'
import type { LedgerLine, LedgerStore, Scope } from './types.js'

const COLUMNS = 'number::float8 as number, sha256, line'
/** The most lines of one answer. */
const PAGE = 500

export function createLedger(database: Database, scope: Scope): LedgerStore {
  return {
    read: (chain, after) =>
      inScope(database, scope, async (query) => {
        const rows = await query.rows(
          `select ${COLUMNS} from escrow.ledgers where chain = $1 and number > $2::float8::bigint
            order by ledgers.number limit ${PAGE}`,
          [chain, after],
        )
        return rows.map(lineOf)
      }),
  }
}

/** Appends a record of the hub's own. It names the hash of the line before it, so that a change of the table shows. */
export async function appendLine(
  query: Query,
  chain: string,
  record: Readonly<Record<string, unknown>>,
): Promise<void> {
  const [head] = (
    await query.rows(`select ${COLUMNS} from escrow.ledgers where chain = $1 order by ledgers.number desc limit 1`, [
      chain,
    ])
  ).map(lineOf)
  const line = JSON.stringify({ prev: head?.sha256 ?? null, at: new Date().toISOString(), record })
  // The index on `previous` keeps two lines from following the same one, whatever happens to the lock.
  await query.rows(
    `insert into escrow.ledgers (chain, number, previous, sha256, line) values ($1, $2::float8::bigint, $3, $4, $5)`,
    [chain, (head?.number ?? 0) + 1, head?.sha256 ?? '', sha256hex(line), line],
  )
}

function lineOf(row: Row): LedgerLine {
  return { number: numberOf(row, 'number'), sha256: textOf(row, 'sha256'), line: textOf(row, 'line') }
}
