import { sha256hex } from '../../overlay/index.js'
import { HubError } from './hub-error.js'
import { changing, inScope } from './scope.js'
import { type Database, numberOf, type Query, type Row, textOf } from './sql.js'
import type { LedgerLine, LedgerStore, Scope } from './types.js'

const COLUMNS = 'number::float8 as number, sha256, line'
/** Lines of one answer. */
const PAGE = 500

export function createLedger(database: Database, scope: Scope): LedgerStore {
  return {
    append: (chain, previous, line) =>
      changing(database, scope, async (query) => {
        if (line.includes('\n') || line.includes('\0')) throw new HubError('invalid', 'A record is one line.')
        const head = await headOf(query, chain)
        if ((head?.sha256 ?? null) !== previous)
          throw new HubError(
            'behind',
            'The ledger has another last line. Read it, then append again.',
            head ? [head.sha256] : [],
          )
        return insert(query, chain, head, line)
      }),
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
  const head = await headOf(query, chain)
  const prev = head?.sha256 ?? null
  await insert(query, chain, head, JSON.stringify({ prev, at: new Date().toISOString(), record }))
}

async function headOf(query: Query, chain: string): Promise<LedgerLine | undefined> {
  const rows = await query.rows(
    `select ${COLUMNS} from escrow.ledgers where chain = $1 order by ledgers.number desc limit 1`,
    [chain],
  )
  return rows.map(lineOf)[0]
}

/** The index on `previous` keeps two lines from following the same one, whatever happens to the lock. */
async function insert(query: Query, chain: string, head: LedgerLine | undefined, line: string): Promise<LedgerLine> {
  const added = { number: (head?.number ?? 0) + 1, sha256: sha256hex(line), line }
  await query.rows(
    `insert into escrow.ledgers (chain, number, previous, sha256, line) values ($1, $2::float8::bigint, $3, $4, $5)`,
    [chain, added.number, head?.sha256 ?? '', added.sha256, line],
  )
  return added
}

function lineOf(row: Row): LedgerLine {
  return { number: numberOf(row, 'number'), sha256: textOf(row, 'sha256'), line: textOf(row, 'line') }
}
