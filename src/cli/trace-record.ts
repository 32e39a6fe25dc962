import type { TraceRecord } from '../index.js'

/** Reading ledger lines, of whatever age and tool: a field that is missing or of another kind reads as undefined. */

/** The intent, also of older lines (`intentId`). */
export function intentOf(record: TraceRecord): string | undefined {
  return text(record.intent_id) ?? text(own(record).intent) ?? text(record.intentId)
}

/** Every path a record is about, old names of moved files included; sorted. */
export function pathsOf(record: TraceRecord): string[] {
  const { changes, path, paths } = own(record)
  const files = list(record.files).map(object)
  const found = [
    ...files.flatMap((file) => [file.path, file.relative_path]),
    ...list(changes).flatMap((change) => [object(change).path, object(change).from]),
    ...list(paths),
    path,
  ]
  return [...new Set(found.flatMap((each) => text(each) ?? []))].sort()
}

/** A line of `escrow log`: number, time, what, intent, session, paths, the change of an intent, or reason. */
export function rowOf(record: TraceRecord): string[] {
  const { seq, type, verdict, reason, words, change } = own(record)
  const why = text(reason) ?? text(words)
  const paths = pathsOf(record).length > 0 ? pathsOf(record) : changeWords(change)
  const about = paths.length > 3 ? [...paths.slice(0, 3), `and ${paths.length - 3} more`] : paths
  return [
    typeof seq === 'number' ? `${seq}` : '-',
    text(record.timestamp) ?? '-',
    (type === 'verdict' ? text(verdict) : undefined) ?? text(type) ?? '-',
    intentOf(record) ?? '-',
    text(record.session_id) ?? '-',
    [...about, ...(why === undefined ? [] : [`(${why})`])].join(' '),
  ]
}

/** `PENDING to BLOCKED`, `+docs/**`, `-src/**`. */
function changeWords(change: unknown): string[] {
  const { status, scope } = object(change)
  const { from, to } = object(status)
  const { added, removed } = object(scope)
  const globs = (sign: string, all: unknown) => list(all).map((glob) => `${sign}${String(glob)}`)
  return [
    ...(text(to) === undefined ? [] : [`${String(from)} to ${String(to)}`]),
    ...globs('+', added),
    ...globs('-', removed),
  ]
}

function own(record: TraceRecord): Record<string, unknown> {
  return object(object(record.metadata)['dev.escrowfs'])
}

function object(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
