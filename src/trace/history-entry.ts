import { defined } from '../core/defined.js'
import type { TraceRecord } from '../core/ledger-api.js'
import { intentOf, listOf, objectOf, objectsOf, text } from './fields.js'
import { ownOf } from './record.js'

/** Ledger lines, of whatever age and tool, as people are told of them. */

/** A record, as a line of a history tells it. */
export interface HistoryEntry {
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
export function toHistoryEntry(record: TraceRecord): HistoryEntry {
  const { seq, type, verdict, tx, reason, words, reviewer } = ownOf(record) ?? {}
  return {
    ...(typeof seq === 'number' && { seq }),
    what: (type === 'verdict' ? text(verdict) : undefined) ?? text(type) ?? '-',
    about: aboutOf(record),
    ...defined({
      at: text(record.timestamp),
      intentId: intentOf(record),
      sessionId: text(record.session_id),
      tx: text(tx),
      by: text(objectOf(reviewer).name),
      why: text(reason) ?? text(words),
    }),
  }
}

/** Every path a record is about, old names of moved files included; sorted. */
export function pathsOf(record: TraceRecord): string[] {
  const { changes, path, paths } = ownOf(record) ?? {}
  const files = objectsOf(record.files)
  const found = [
    ...files.flatMap((file) => [file.path, file.relative_path]),
    ...listOf(changes).flatMap((change) => [objectOf(change).path, objectOf(change).from]),
    ...listOf(paths),
    path,
  ]
  return [...new Set(found.flatMap((each) => text(each) ?? []))].sort()
}

/** What a record says was refused: a call, or effects of a command. */
export function refusalsOf(record: TraceRecord): { path: string; reason: string }[] {
  const { type, path, reason, refused } = ownOf(record) ?? {}
  const own = type === 'denied' ? [{ path, reason }] : []
  return [...own, ...objectsOf(refused)].flatMap((each) => {
    const [name, why] = [text(each.path), text(each.reason)]
    return name === undefined || why === undefined ? [] : [{ path: name, reason: why }]
  })
}

function aboutOf(record: TraceRecord): string[] {
  const { command, exit_code: code, ended, change } = ownOf(record) ?? {}
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
  const { status, scope } = objectOf(change)
  const { from, to } = objectOf(status)
  const { added, removed } = objectOf(scope)
  const globs = (sign: string, all: unknown) => listOf(all).map((glob) => `${sign}${String(glob)}`)
  return [
    ...(text(to) === undefined ? [] : [`${String(from)} to ${String(to)}`]),
    ...globs('+', added),
    ...globs('-', removed),
  ]
}
