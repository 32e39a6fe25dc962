import type { TraceRecord } from '../index.js'
import { toHistoryEntry } from '../surface/index.js'

/** A row of `escrow log`: number, time, kind, intent, session, then commit id, paths, author and reason. */
export function logRow(record: TraceRecord): string[] {
  const { seq, at = '-', what, intentId = '-', sessionId = '-', tx, about: all, by, why } = toHistoryEntry(record)
  const about = all.length > 3 ? [...all.slice(0, 3), `and ${all.length - 3} more`] : all
  return [
    seq === undefined ? '-' : `${seq}`,
    at,
    what,
    intentId,
    sessionId,
    [tx ?? [], about, by === undefined ? [] : `by ${by}`, why === undefined ? [] : `(${why})`].flat().join(' '),
  ]
}

/** A row of `escrow log --oneline`: number, kind, intent, paths. */
export function shortLogRow(record: TraceRecord): string[] {
  const { seq, what, intentId = '-', about } = toHistoryEntry(record)
  const [first = '', ...more] = about
  return [
    seq === undefined ? '-' : `${seq}`,
    what,
    intentId,
    more.length === 0 ? first : `${first} and ${more.length} more`,
  ]
}
