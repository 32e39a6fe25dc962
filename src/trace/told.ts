import type { TraceRecord } from '../core/ledger-api.js'

/** Reading ledger lines, of whatever age and tool: a field that is missing or of another kind reads as undefined. */

/** A record, as a line of a history tells it. */
export interface ToldRecord {
  readonly seq?: number
  /** ISO 8601. */
  readonly at?: string
  /** A verdict's word, else the record's type. */
  readonly what: string
  readonly intentId?: string
  readonly sessionId?: string
  /** A commit's id. */
  readonly tx?: string
  /** Paths, a command or a change of an intent. */
  readonly about: readonly string[]
  readonly by?: string
  readonly why?: string
}

/** Reads a record as a history tells it. */
export function toldOf(record: TraceRecord): ToldRecord {
  const { seq, type, verdict, tx, reason, words, reviewer } = own(record)
  return {
    ...(typeof seq === 'number' && { seq }),
    what: (type === 'verdict' ? text(verdict) : undefined) ?? text(type) ?? '-',
    about: aboutOf(record),
    ...given({
      at: text(record.timestamp),
      intentId: intentOf(record),
      sessionId: text(record.session_id),
      tx: text(tx),
      by: text(object(reviewer).name),
      why: text(reason) ?? text(words),
    }),
  }
}

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

function given<T extends Record<string, string | undefined>>(fields: T): { [K in keyof T]?: string } {
  const found: { [K in keyof T]?: string } = {}
  for (const key in fields) {
    const value = fields[key]
    if (value !== undefined) found[key] = value
  }
  return found
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
