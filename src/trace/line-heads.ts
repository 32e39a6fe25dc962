import type { TraceRecord } from '../core/api.js'
import { objectsOf, text } from './fields.js'
import { ownOf } from './record.js'

/** Path → the digest of the content whose every line the ledger can name: that of the last record with the path's lines. */
export type LineHeads = Map<string, string>

/** Takes one more record in. */
export function noteHeads(heads: LineHeads, record: TraceRecord): undefined {
  const own = ownOf(record)
  if (own === undefined || (own.type !== 'commit' && own.type !== 'undo')) return
  const followed = new Set(objectsOf(own.lines).map(({ path }) => path))
  const changes = objectsOf(own.changes)
  for (const { from } of changes) if (typeof from === 'string') heads.delete(from)
  for (const change of changes) {
    const { path, before, after } = change
    if (typeof path !== 'string') continue
    const digest = text(after)
    if (followed.has(path) && digest !== undefined) heads.set(path, digest)
    else if (before !== after || change.from !== undefined) heads.delete(path)
  }
}
