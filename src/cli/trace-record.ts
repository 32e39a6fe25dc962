import type { TraceRecord } from '../index.js'
import { toHistoryEntry } from '../surface/index.js'

/** A line of `escrow log`: number, time, what, intent, session, a commit's id, what it is about, by whom, why. */
export function rowOf(record: TraceRecord): string[] {
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

/** A line of `escrow log --oneline`: number, what, intent, what it is about. */
export function shortRowOf(record: TraceRecord): string[] {
  const { seq, what, intentId = '-', about } = toHistoryEntry(record)
  const [first = '', ...more] = about
  return [
    seq === undefined ? '-' : `${seq}`,
    what,
    intentId,
    more.length === 0 ? first : `${first} and ${more.length} more`,
  ]
}

/** Milliseconds since 1970. */
export function timeOf(record: TraceRecord): number | undefined {
  const at = Date.parse(toHistoryEntry(record).at ?? '')
  return Number.isNaN(at) ? undefined : at
}
