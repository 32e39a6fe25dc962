import { digest as digestOf } from '../../overlay/index.js'
import { readBody } from './change-body.js'
import { HubError } from './hub-error.js'
import { changing, inScope, onlyRow } from './scope.js'
import { bytesOf, type Database, numberOf, type Query, textOf } from './sql.js'
import type { ContentStore, Scope } from './types.js'

/**
 * The least age of removed contents, in days: longer than the time between sending a content and submitting its change.
 */
const MIN_DAYS = 1

/** The changes that wait for a reviewer or a worker. */
const WAITING = `select body from escrow.changes
  where submission in (select id from escrow.submissions where is_open)
  or submission in (select submission from escrow.landings where state in ('waiting', 'landing'))`

export function createContents(database: Database, scope: Scope): ContentStore {
  return {
    async put(digest, bytes) {
      if (digestOf(bytes) !== digest) throw new HubError('invalid', 'The content has another digest.')
      return inScope(database, scope, async (query) => {
        const added = await query.rows(
          'insert into escrow.contents (digest, bytes) values ($1, $2) on conflict do nothing returning digest',
          [digest, bytes],
        )
        if (added.length === 0)
          await query.rows('update escrow.contents set sent_at = clock_timestamp() where digest = $1', [digest])
        return added.length > 0
      })
    },
    get: (digest) =>
      inScope(database, scope, async (query) => {
        const [row] = await query.rows('select bytes from escrow.contents where digest = $1', [digest])
        return row === undefined ? undefined : bytesOf(row, 'bytes')
      }),
    removeUnused: (days) =>
      changing(database, scope, async (query) => {
        if (!(days >= MIN_DAYS)) throw new HubError('invalid', `Contents are kept for at least ${MIN_DAYS} day.`)
        const removed = await query.rows(
          `with removed as (
            delete from escrow.contents
              where sent_at < clock_timestamp() - make_interval(secs => $1::float8 * 86400)
              and digest not in (select json_array_elements_text($2::text::json))
              returning octet_length(bytes) as size)
          select count(*)::float8 as contents, coalesce(sum(size), 0)::float8 as bytes from removed`,
          [days, JSON.stringify(await readUsed(query))],
        )
        const row = onlyRow(removed)
        return { contents: numberOf(row, 'contents'), bytes: numberOf(row, 'bytes') }
      }),
  }
}

/**
 * The digests of the contents that waiting changes show. PostgreSQL rejects JSON with escapes of NUL or of lone
 * surrogates, so this function parses it.
 */
async function readUsed(query: Query): Promise<string[]> {
  const rows = await query.rows(WAITING)
  const digests = rows.flatMap((row) => {
    const { shown } = readBody(textOf(row, 'body'))
    return [shown?.before, shown?.after]
  })
  return [...new Set(digests)].filter((digest) => typeof digest === 'string')
}

/** Reads a content that a submission shows. Null: there is none on this side. */
export async function readContent(query: Query, digest: string | null): Promise<Uint8Array | null> {
  if (digest === null) return null
  const [row] = await query.rows('select bytes from escrow.contents where digest = $1', [digest])
  if (row === undefined) throw new HubError('not_found', 'The hub no longer has the contents of this change.')
  return bytesOf(row, 'bytes')
}

/** @throws HubError `missing` with the digests that the store lacks */
export async function assertContents(query: Query, digests: readonly string[]): Promise<void> {
  const rows = await query.rows(
    `select wanted.digest from json_array_elements_text($1::text::json) as wanted (digest)
      where not exists (select 1 from escrow.contents where contents.digest = wanted.digest)`,
    [JSON.stringify([...new Set(digests)])],
  )
  if (rows.length === 0) return
  const missing = rows.map((row) => textOf(row, 'digest'))
  throw new HubError('missing', `The hub lacks ${missing.length} contents of the changes. Send them first.`, missing)
}
