import { sha256hex } from '../../overlay/index.js'
import { defined } from '../core/defined.js'
import {
  type ChainEnd,
  type ChainedLine,
  continueChain,
  type EarlierLines,
  EMPTY_CHAIN,
  foldLine,
  formatTip,
  headText,
  type LineFold,
  NO_LINES,
  parseTip,
} from '../trace/remote-chain.js'
import { HubError } from './hub-error.js'
import { changing, inScope, onlyRow } from './scope.js'
import { type Database, numberOf, type Query, type Row, textOf } from './sql.js'
import type { MachineLedger, MachineLedgers, Scope } from './types.js'

/** Lines of one batch, and of one page of an export. */
const MAX_BATCH = 1_000
/** Bytes of a page of an export, without its first line. */
const PAGE_BYTES = 4 * 1024 * 1024
/** Look-ups of earlier lines that one batch may need: a few for each branch that git merged. */
const MAX_LOOKUPS = 1_000

/** Machines have names of their own among the chains: none can be that of the audit. */
const chainOf = (machine: string) => `machine ${machine}`

/**
 * The ledgers of machines, as lines of `escrow.ledgers`. Other tools may write a line twice, so `previous` is not the hash of one line there:
 * it is the fold of all lines before.
 */
export function createMachineLedgers(database: Database, scope: Scope): MachineLedgers {
  return {
    head: (machine) => inScope(database, scope, async (query) => (await readEnd(query, machine)).all),
    append: (machine, after, lines) =>
      changing(database, scope, async (query) => {
        if (lines.length === 0 || lines.length > MAX_BATCH)
          throw new HubError('invalid', `A batch has from 1 to ${MAX_BATCH} lines.`)
        const end = await readEnd(query, machine)
        if (!isSame(end.all, after)) return repeated(query, machine, end, after, lines)
        return append(query, machine, end, lines)
      }),
    list: () =>
      inScope(database, scope, async (query) => {
        const rows = await query.rows(
          `select ${COLUMNS}, machine, at::text as at from escrow.machine_ledgers order by machine`,
        )
        return rows.map(ledgerOf)
      }),
    read: (machine, after) => readLines(database, scope, machine, after),
  }
}

const COLUMNS = 'lines::float8 as lines, fold, tip'

function endOf(row: Row): ChainEnd {
  return { tip: parseTip(textOf(row, 'tip')), all: { lines: numberOf(row, 'lines'), sha256: textOf(row, 'fold') } }
}

function ledgerOf(row: Row): MachineLedger {
  const { tip, all } = endOf(row)
  const known = { machine: textOf(row, 'machine'), lines: all.lines, bytes: tip.end, at: textOf(row, 'at') }
  return Object.assign(known, defined({ head: headText(tip), isForked: tip.sides.length > 0 ? true : undefined }))
}

async function readEnd(query: Query, machine: string): Promise<ChainEnd> {
  const [row] = await query.rows(`select ${COLUMNS} from escrow.machine_ledgers where machine = $1`, [machine])
  return row === undefined ? EMPTY_CHAIN : endOf(row)
}

function isSame(one: LineFold, other: LineFold): boolean {
  return one.lines === other.lines && one.sha256 === other.sha256
}

/** The answer to a batch that does not continue the last line. It is not an error if the hub already has the batch. */
async function repeated(query: Query, machine: string, end: ChainEnd, after: LineFold, lines: readonly Buffer[]) {
  const all = lines.map((line) => sha256hex(line)).reduce(foldLine, after)
  const [next] = await query.rows(
    'select 1 as one from escrow.ledgers where chain = $1 and number = $2::float8::bigint and previous = $3',
    [chainOf(machine), all.lines + 1, all.sha256],
  )
  if (next !== undefined || isSame(end.all, all)) return end.all
  throw new HubError('behind', 'The ledger has another last line. Read it, then append again.', [end.all.sha256])
}

async function append(query: Query, machine: string, end: ChainEnd, lines: readonly Buffer[]): Promise<LineFold> {
  const continued = await continueChain(end, lines, earlierLines(query, machine))
  if ('problem' in continued)
    throw new HubError('invalid', `Line ${continued.line} of the ledger ${continued.problem}.`)
  await insert(query, machine, end.all.lines, continued.lines)
  const { tip, all } = continued.end
  await query.rows(
    `insert into escrow.machine_ledgers (machine, lines, fold, tip, at)
      values ($1, $2::float8::bigint, $3, $4, clock_timestamp())
      on conflict (tenant, workspace, machine) do update
        set lines = excluded.lines, fold = excluded.fold, tip = excluded.tip, at = excluded.at`,
    [machine, all.lines, all.sha256, formatTip(tip)],
  )
  return all
}

async function insert(query: Query, machine: string, from: number, lines: readonly ChainedLine[]): Promise<void> {
  const rows = lines.map(({ bytes, hash, before }) => ({ line: bytes.toString(), hash, before }))
  await query.rows(
    `insert into escrow.ledgers (chain, number, previous, sha256, line)
      select $1, $2::float8::bigint + each.number, each.row ->> 'before', each.row ->> 'hash', each.row ->> 'line'
      from json_array_elements($3::text::json) with ordinality as each (row, number)`,
    [chainOf(machine), from, JSON.stringify(rows)],
  )
}

function earlierLines(query: Query, machine: string): EarlierLines {
  let remaining = MAX_LOOKUPS
  const lookUp = (sql: string, value: string | number) => {
    if (remaining-- === 0) throw new HubError('invalid', 'The lines continue too many earlier ones, or too far back.')
    return query.rows(sql, [chainOf(machine), value])
  }
  return {
    async find(hash) {
      const sql = 'select min(number)::float8 as number from escrow.ledgers where chain = $1 and sha256 = $2'
      const row = onlyRow(await lookUp(sql, hash))
      return row.number === null ? undefined : numberOf(row, 'number')
    },
    async line(number) {
      const sql = 'select line from escrow.ledgers where chain = $1 and number = $2::float8::bigint'
      return Buffer.from(textOf(onlyRow(await lookUp(sql, number)), 'line'))
    },
  }
}

/** Yields pages of lines, each with its LF. Ends with the line that is the last one at the first page. */
async function* readLines(database: Database, scope: Scope, machine: string, after: number): AsyncGenerator<Buffer> {
  const { all: end } = await inScope(database, scope, (query) => readEnd(query, machine))
  if (end.lines === 0) throw new HubError('not_found', `The hub has no ledger of ${machine}.`)
  if (after >= end.lines) return
  let all: LineFold | undefined = after === 0 ? NO_LINES : undefined
  for (let number = after; number < end.lines; ) {
    const rows = await inScope(database, scope, (query) => readPage(query, machine, number, end.lines))
    if (rows.length === 0) throw changed(machine, number + 1)
    all ??= { lines: number, sha256: rows.map((row) => textOf(row, 'previous'))[0] ?? '' }
    for (const row of rows) {
      const hash = sha256hex(textOf(row, 'line'))
      const isNext = numberOf(row, 'number') === ++number && textOf(row, 'previous') === all.sha256
      if (!isNext || textOf(row, 'sha256') !== hash) throw changed(machine, number)
      all = foldLine(all, hash)
    }
    if (number === end.lines && !isSame(all, end)) throw changed(machine, number)
    yield Buffer.from(rows.map((row) => `${textOf(row, 'line')}\n`).join(''))
  }
}

/** The next rows, up to a number of lines and of bytes. */
function readPage(query: Query, machine: string, after: number, last: number): Promise<Row[]> {
  return query.rows(
    `select number::float8 as number, previous, sha256, line from (
        select *, sum(octet_length(line)) over (order by number) - octet_length(line) as bytes_before from (
          select number, previous, sha256, line from escrow.ledgers
            where chain = $1 and number > $2::float8::bigint and number <= $3::float8::bigint
            order by number limit ${MAX_BATCH}) as next) as page
      where bytes_before < ${PAGE_BYTES} order by page.number`,
    [chainOf(machine), after, last],
  )
}

function changed(machine: string, line: number): HubError {
  const message = `Line ${line} of the ledger of ${machine} is not the one that the machine sent: the database was changed.`
  return new HubError('refused', message)
}
