import { sha256hex } from '../../overlay/index.js'
import { newId } from '../../src/core/ids.js'
import { addToken, type Database, openDatabase } from '../../src/hub/index.js'
import { appendLine } from '../../src/hub/ledger.js'
import { changing, inScope, onlyRow } from '../../src/hub/scope.js'
import { numberOf, textOf } from '../../src/hub/sql.js'
import { serveHub } from '../../src/hub-server/index.js'
import type { Bench } from '../bench.js'
import type { Variant } from '../harness.js'
import { OURS } from '../report.js'

/** The chain that can be read over HTTP. */
const CHAIN = 'audit'
/** Inserted by one statement, to fill a chain. */
const BATCH = 10_000
/** Lines of one response of the hub. */
const PAGE = 500
/** Calls of one sample. */
const [APPENDS, READS] = [20, 5]
const FLAT = { of: 'exponent', atMost: 0.15 } as const

interface Chain {
  readonly name: string
  readonly size: number
  readonly scope: { readonly tenant: string; readonly workspace: string }
  /** The hash of its last line, and that line's number. */
  head: string
  last: number
}

/** Measures how appending to a chain of a hub's ledger, and reading its newest page, grow with its records. */
export function measureLedger(bench: Bench, url: string): Promise<void> {
  return openDatabase({ url }, async (database) => {
    const sizes = bench.quick ? [500, 5_000, 50_000] : [1_000, 10_000, 100_000, 1_000_000]
    const chains: Chain[] = []
    for (const size of sizes) chains.push(await makeChain(database, size))
    const spec = { mode: 'async', heavy: true, aim: FLAT, sizes: chains } as const
    await bench.growth({
      ...spec,
      title: 'append a record to a chain of the hub, by its records',
      opsPerRun: APPENDS,
      variants: [await plainInsert(database), ...chains.map((chain) => appending(database, chain))],
    })
    const hub = await serveHub({ database, report: (error) => console.error(error) })
    try {
      await bench.growth({
        ...spec,
        title: `read the newest ${PAGE} records over HTTP, by the records of the chain`,
        opsPerRun: READS,
        variants: [
          plainRequest(hub.url),
          ...(await Promise.all(chains.map((chain) => reading(database, hub.url, chain)))),
        ],
      })
    } finally {
      await hub.close()
    }
  })
}

/** Fills a chain in which each line names the hash of the one before it. */
async function makeChain(database: Database, size: number): Promise<Chain> {
  const scope = { tenant: newId(), workspace: `ledger-${size}` }
  const chain = { name: `${OURS}, ${size.toLocaleString('en')} records`, size, scope, head: '', last: 0 }
  while (chain.last < size) {
    const rows = Array.from({ length: Math.min(BATCH, size - chain.last) }, () => nextRow(chain))
    await inScope(database, scope, (query) =>
      query.rows(
        `insert into escrow.ledgers (chain, number, previous, sha256, line)
          select $1, number, previous, sha256, line
          from json_to_recordset($2::text::json) as rows (number bigint, previous text, sha256 text, line text)`,
        [CHAIN, JSON.stringify(rows)],
      ),
    )
  }
  await database.transaction((query) => query.script('analyze escrow.ledgers'))
  return chain
}

function nextRow(chain: Chain) {
  const previous = chain.head
  const line = recordAfter(chain)
  chain.head = sha256hex(line)
  chain.last += 1
  return { number: chain.last, previous, sha256: chain.head, line }
}

/** A line like that of a decision. */
function recordAfter({ head, last }: Chain): string {
  const record = { act: 'approved', by: 'Ada', session: `laptop.agent-${last % 50}`, path: `src/file-${last}.ts` }
  return JSON.stringify({ prev: head === '' ? null : head, at: '2026-01-01T00:00:00.000Z', record, key: newId() })
}

/** Appends as a decision does, whose line of the audit is written in its transaction. */
function appending(database: Database, { name, scope }: Chain): Variant {
  return {
    name,
    async run() {
      for (let n = 0; n < APPENDS; n++)
        await changing(database, scope, (query) =>
          appendLine(query, CHAIN, { act: 'approved', by: 'Ada', key: newId() }),
        )
    },
  }
}

/** Reads the lines that a reader does not have yet: the newest page. */
async function reading(database: Database, url: string, { name, scope }: Chain): Promise<Variant> {
  const end = await inScope(database, scope, (query) =>
    query.rows(
      'select number::float8 as number, sha256 from escrow.ledgers where chain = $1 order by ledgers.number desc limit 1',
      [CHAIN],
    ),
  )
  const [last, head] = [numberOf(onlyRow(end), 'number'), textOf(onlyRow(end), 'sha256')]
  const token = await addToken(database, Object.assign({ name: 'admin', role: 'admin' } as const, scope))
  const headers = { authorization: `Bearer ${token}` }
  return {
    name,
    async run() {
      for (let n = 0; n < READS; n++) {
        const response = await fetch(`${url}/v1/audit?after=${last - PAGE}`, { headers })
        const lines = (await response.json()) as readonly { readonly sha256: string }[]
        if (lines.at(-1)?.sha256 !== head) throw new Error('The answer has another last line.')
      }
    },
  }
}

/** The baseline of an append: a transaction that inserts a row. */
async function plainInsert(database: Database): Promise<Variant> {
  await database.transaction((query) =>
    query.script('create table if not exists public.plain_lines (id text primary key, line text not null)'),
  )
  const line = 'x'.repeat(300)
  return {
    name: 'a plain insert',
    async run() {
      for (let n = 0; n < APPENDS; n++)
        await database.transaction((query) =>
          query.rows('insert into public.plain_lines (id, line) values ($1, $2)', [newId(), line]),
        )
    },
  }
}

/** The baseline of a read: a request that asks the database for one value. */
function plainRequest(url: string): Variant {
  return {
    name: 'a request of /healthz',
    async run() {
      for (let n = 0; n < READS; n++) await (await fetch(`${url}/healthz`)).text()
    },
  }
}
