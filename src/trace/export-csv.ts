import type { TraceRecord } from '../core/api.js'
import { printable } from '../core/printable.js'
import { intentOf, objectOf, objectsOf, text } from './fields.js'
import { type OwnRecord, ownRecord, type RecordedChange } from './own-record.js'

export const CSV_COLUMNS = [
  ...(['seq', 'timestamp', 'type', 'intent', 'session', 'call', 'model', 'path', 'lines', 'contributor'] as const),
  ...(['mutation_class', 'before', 'after', 'approved_by', 'reason'] as const),
]

/** The CSV rows of a record (RFC 4180): one for each file, or a single one if it has none. */
export function csvRows(record: TraceRecord): string[] {
  const own = ownRecord(record)
  const changes = new Map(own?.changes?.map((change) => [change.path, change]))
  const entries = new Map(objectsOf(record.files).map((file) => [text(file.path) ?? text(file.relative_path), file]))
  const about = [own?.path, text(record.file)].flatMap((path) => path ?? [])
  const paths = new Set(
    [...entries.keys(), ...changes.keys(), ...(own?.paths ?? []), ...about].filter((path) => path !== undefined),
  )
  const rows = paths.size === 0 ? [undefined] : [...paths]
  return rows.map((path) =>
    rowOf(record, own, path, entries.get(path) ?? {}, path === undefined ? undefined : changes.get(path)),
  )
}

type Fields = Record<string, unknown>

function rowOf(
  record: TraceRecord,
  own: OwnRecord | undefined,
  path: string | undefined,
  file: Fields,
  change: RecordedChange | undefined,
): string {
  const { type, entity_type, model_identifier } = objectOf(file.contributor)
  const ranges = objectsOf(file.ranges).map(({ start_line, end_line }) => `${start_line}-${end_line}`)
  const cells: Record<(typeof CSV_COLUMNS)[number], unknown> = {
    seq: own?.seq,
    timestamp: record.timestamp,
    type: own?.type === undefined ? own?.name : own.type,
    intent: intentOf(record),
    session: record.session_id,
    call: record.req_id,
    model: model_identifier ?? own?.agent?.model ?? record.model_identifier,
    path,
    lines: ranges.join(' '),
    contributor: type ?? entity_type,
    mutation_class: file.mutation_class ?? record.mutation_class,
    before: change?.before,
    after: change?.after,
    approved_by: own?.approved_by?.join(', '),
    reason: own?.reason ?? own?.words,
  }
  return CSV_COLUMNS.map((column) => cell(cells[column])).join(',')
}

/**
 * Agents wrote much of this text: a spreadsheet must not evaluate it as a formula, and a terminal must not execute it.
 * Line ends and tabs stay. Other control characters and invisible characters are replaced by their names.
 */
function cell(value: unknown): string {
  if (typeof value === 'number') return `${value}`
  if (typeof value !== 'string') return ''
  const text = printable(value.replaceAll('\r\n', '\n'))
  const inert = /^[=+\-@＝＋－＠\t\r]/.test(value) ? `'${text}` : text
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}
