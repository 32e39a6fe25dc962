import { briefCommand, commandLines } from '../core/command-text.js'
import { defined } from '../core/defined.js'
import type { TraceRecord } from '../core/ledger-api.js'
import { intentOf, objectsOf, text } from './fields.js'
import { type DataOf, type OwnRecord, ownRecord, ownRecordOf } from './own-record.js'

/** Ledger lines of any age and tool, in the form that histories show. */

/** A record as a history shows it. */
export interface HistoryEntry {
  readonly seq?: number
  /** ISO 8601. */
  readonly at?: string
  /** The verdict; `landed` for a commit by a landing queue; or else the record's type. */
  readonly what: string
  readonly intentId?: string
  readonly sessionId?: string
  /** A commit's id. */
  readonly tx?: string
  /** Paths, a command, a tool, or the changes of an intent. */
  readonly about: readonly string[]
  readonly by?: string
  readonly why?: string
}

/** Reads a record for a history. Parses our own fields once, because a history may show a whole ledger. */
export function toHistoryEntry(record: TraceRecord): HistoryEntry {
  const own = ownRecord(record)
  const verdict = own?.type === 'verdict' ? own.verdict : undefined
  const landed = own?.type === 'commit' ? own.landed : undefined
  return {
    what: verdict ?? (landed && 'landed') ?? (own?.type === undefined ? own?.name : own.type) ?? '-',
    about: aboutOf(record, own),
    ...defined({
      seq: own?.seq,
      at: text(record.timestamp),
      intentId: intentOf(record, own),
      sessionId: text(record.session_id),
      tx: own?.tx ?? undefined,
      by: own?.reviewer?.name,
      why: own?.reason ?? own?.words ?? quarantineNote(own) ?? (landed && `on ${landed.branch} as ${landed.commit}`),
    }),
  }
}

/** Every path in a record, including the old names of moved files; sorted. */
export function pathsOf(record: TraceRecord): string[] {
  return pathsIn(record, ownRecord(record))
}

function pathsIn(record: TraceRecord, own: OwnRecord | undefined): string[] {
  const { changes = [], path, paths = [] } = own ?? {}
  const files = objectsOf(record.files)
  const found = [
    ...files.flatMap((file) => [file.path, file.relative_path]),
    ...changes.flatMap((change) => [change.path, change.from]),
    ...paths,
    path,
  ]
  return [...new Set(found.flatMap((each) => text(each) ?? []))].sort()
}

/** The refusals in a record: of a call, or of a command's effects. */
export function refusalsOf(record: TraceRecord): { path: string; reason: string }[] {
  return refusalsIn(ownRecordOf(record, 'denied', 'command'))
}

function refusalsIn(own: OwnRecord | undefined): { path: string; reason: string }[] {
  if (own?.type === 'command') return (own.refused ?? []).map(({ path, reason }) => ({ path, reason }))
  if (own?.type !== 'denied' || own.path === undefined || own.reason === undefined) return []
  return [{ path: own.path, reason: own.reason }]
}

function aboutOf(record: TraceRecord, own: OwnRecord | undefined): string[] {
  if ((own?.type === 'command' || own?.type === 'check') && own.command !== undefined) {
    const isStarted = own.type === 'command' && own.started === true
    const end = own.exit_code ?? own.ended ?? (isStarted ? 'started' : undefined)
    return [formatCommand(own.command, end) + formatRefused(refusalsIn(own))]
  }
  if (own?.type === 'verdict' && own.command !== undefined) return [formatCommand(own.command, undefined)]
  const paths = pathsIn(record, own)
  if (own?.type === 'tool_call') return paths.length > 0 ? paths : toolCall(own)
  if (paths.length > 0 || (own?.type !== 'intent_selected' && own?.type !== 'scope_changed')) return paths
  return own.change === undefined ? [] : formatChange(own.change)
}

/** A call that changed no path: the tool, and how the call ended if it failed. */
function toolCall({ tool_name: name, outcome }: DataOf<'tool_call'>): string[] {
  if (name === undefined) return []
  return [outcome === undefined || outcome === 'ok' ? name : `${name}: ${outcome}`]
}

function quarantineNote(own: OwnRecord | undefined): string | undefined {
  const what = own?.type === 'command' ? own.quarantine : undefined
  return what && (what === 'taken' ? 'taken from quarantine' : 'dropped from quarantine')
}

const COMMAND_LENGTH = 60

/** `npm test: 1`: the command, shortened, and its exit code or the reason it ended. */
function formatCommand(command: string | readonly string[], end: number | string | undefined): string {
  const [first = '', ...rest] = commandLines(typeof command === 'string' ? command : command.join(' '))
  const cut = first.length > COMMAND_LENGTH ? `${first.slice(0, COMMAND_LENGTH)}…` : first
  const short = briefCommand([cut, ...rest].join('\n'))
  return end === undefined ? short : `${short}: ${end}`
}

/** Paths of a command's refused effects that a history names. */
const REFUSED_SHOWN = 3

/** `, refused: a.ts, b.ts and 2 more`; an empty string if nothing was refused. */
function formatRefused(refusals: readonly { readonly path: string }[]): string {
  if (refusals.length === 0) return ''
  const paths = [...new Set(refusals.map(({ path }) => path))].sort()
  const more = paths.length > REFUSED_SHOWN ? ` and ${paths.length - REFUSED_SHOWN} more` : ''
  return `, refused: ${paths.slice(0, REFUSED_SHOWN).join(', ')}${more}`
}

/** `created`, `PENDING to BLOCKED`, `+docs/**`, `-src/**`. */
function formatChange({
  created,
  deleted,
  status,
  scope,
}: NonNullable<DataOf<'scope_changed'>['change']> = {}): string[] {
  const { added = [], removed = [] } = scope ?? {}
  return [
    ...(created ? ['created'] : []),
    ...(deleted ? ['deleted'] : []),
    ...(status === undefined ? [] : [`${status.from} to ${status.to}`]),
    ...added.map((glob) => `+${glob}`),
    ...removed.map((glob) => `-${glob}`),
  ]
}
