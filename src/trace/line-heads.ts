import type { TraceRecord } from '../core/api.js'
import { ownRecordOf } from './own-record.js'

/** Path → the digest of the content whose every line the ledger can name: that of the last record with the path's lines. */
export type LineHeads = Map<string, string>

/** Takes one more record in. */
export function noteHeads(heads: LineHeads, record: TraceRecord): undefined {
  const own = ownRecordOf(record, 'commit', 'undo')
  if (own === undefined) return
  const { lines = [], changes = [] } = own
  const followed = new Set(lines.map(({ path }) => path))
  for (const { from } of changes) if (from !== undefined) heads.delete(from)
  for (const { path, from, before, after } of changes) {
    if (followed.has(path) && after !== null) heads.set(path, after)
    else if (before !== after || from !== undefined) heads.delete(path)
  }
}
