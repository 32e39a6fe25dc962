import { digest as digestOf } from '../../overlay/index.js'
import { HubError } from './hub-error.js'
import { inScope } from './scope.js'
import { bytesOf, type Database, type Query, textOf } from './sql.js'
import type { ContentStore, Scope } from './types.js'

export function createContents(database: Database, scope: Scope): ContentStore {
  return {
    async put(digest, bytes) {
      if (digestOf(bytes) !== digest) throw new HubError('invalid', 'The content has another digest.')
      return inScope(database, scope, async (query) => {
        const rows = await query.rows(
          'insert into escrow.contents (digest, bytes) values ($1, $2) on conflict do nothing returning digest',
          [digest, bytes],
        )
        return rows.length > 0
      })
    },
    get: (digest) =>
      inScope(database, scope, async (query) => {
        const [row] = await query.rows('select bytes from escrow.contents where digest = $1', [digest])
        return row === undefined ? undefined : bytesOf(row, 'bytes')
      }),
  }
}

/** Reads a content that a submission shows. Null: there is none on this side. */
export async function readContent(query: Query, digest: string | null): Promise<Uint8Array | null> {
  if (digest === null) return null
  const [row] = await query.rows('select bytes from escrow.contents where digest = $1', [digest])
  if (row === undefined) throw new TypeError('A content of a submission is missing.')
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
