import { type TraceRecord, toldOf } from '../index.js'

/** A line of `escrow log`: number, time, what, intent, session, a commit's id, what it is about, by whom, why. */
export function rowOf(record: TraceRecord): string[] {
  const { seq, at = '-', what, intentId = '-', sessionId = '-', tx, about: all, by, why } = toldOf(record)
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
