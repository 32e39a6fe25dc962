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

/** A line of `escrow log`: number, time, what, intent, session, a commit's id, what it is about, by whom, why. */
export function rowOf(record: TraceRecord): string[] {
  const { seq, type, verdict, tx, reason, words, reviewer } = own(record)
  const by = text(object(reviewer).name)
  const why = text(reason) ?? text(words)
  const all = aboutOf(record)
  const about = all.length > 3 ? [...all.slice(0, 3), `and ${all.length - 3} more`] : all
  return [
    typeof seq === 'number' ? `${seq}` : '-',
    text(record.timestamp) ?? '-',
    (type === 'verdict' ? text(verdict) : undefined) ?? text(type) ?? '-',
    intentOf(record) ?? '-',
    text(record.session_id) ?? '-',
    [text(tx) ?? [], about, by === undefined ? [] : `by ${by}`, why === undefined ? [] : `(${why})`].flat().join(' '),
  ]
}

/** A line of `escrow log --oneline`: number, what, intent, what it is about. */
export function shortRowOf(record: TraceRecord): string[] {
  const { seq, type, verdict } = own(record)
  const [first = '', ...more] = aboutOf(record)
  return [
    typeof seq === 'number' ? `${seq}` : '-',
    (type === 'verdict' ? text(verdict) : undefined) ?? text(type) ?? '-',
    intentOf(record) ?? '-',
    more.length === 0 ? first : `${first} and ${more.length} more`,
  ]
}

/** Milliseconds since 1970. */
export function timeOf(record: TraceRecord): number | undefined {
  const at = Date.parse(text(record.timestamp) ?? '')
  return Number.isNaN(at) ? undefined : at
}

function aboutOf(record: TraceRecord): string[] {
  const { command, exit_code: code, ended, change } = own(record)
  if (typeof command === 'string' || Array.isArray(command)) return [commandWords(command, code ?? ended)]
  const paths = pathsOf(record)
  return paths.length > 0 ? paths : changeWords(change)
}

const COMMAND_LENGTH = 60

/** `npm test: 1`: the command, cut where it is long, and its exit code or what ended it. */
function commandWords(command: string | readonly unknown[], end: unknown): string {
  const whole = typeof command === 'string' ? command : command.map(String).join(' ')
  const short = whole.length > COMMAND_LENGTH ? `${whole.slice(0, COMMAND_LENGTH)}…` : whole
  return typeof end === 'number' || typeof end === 'string' ? `${short}: ${end}` : short
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
