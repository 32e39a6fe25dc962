import type { TraceRecord } from '../core/api.js'
import { fileChangesOf } from './own-record.js'

/** For each path, the digest of the last content whose lines the ledger records in full. */
export type LineHeads = Map<string, string>

/** Updates the heads by the next record of the ledger. */
export function noteHeads(heads: LineHeads, record: TraceRecord): undefined {
  const { lines = [], changes = [] } = fileChangesOf(record) ?? {}
  const followed = new Set(lines.map(({ path }) => path))
  for (const { from } of changes) if (from !== undefined) heads.delete(from)
  for (const { path, from, before, after } of changes) {
    if (followed.has(path) && after !== null) heads.set(path, after)
    else if (before !== after || from !== undefined) heads.delete(path)
  }
}
