import type { TraceRecord } from '../core/api.js'
import { EscrowError, unsupported } from '../core/api-error.js'
import { defined } from '../core/defined.js'
import type { SharedFile } from '../core/layout.js'
import { printableJson } from '../core/printable.js'
import { currentLines } from './current-lines.js'
import { CSV_COLUMNS, csvRows } from './export-csv.js'
import { listOf, objectOf, objectsOf, text } from './fields.js'
import { agentsIn, gitAiNote } from './git-ai.js'
import type { Line } from './lines.js'
import { ownRecord } from './own-record.js'
import { wholeLines } from './read.js'

/** The source of an export. */
export interface ExportSource {
  readonly root: string
  readonly file: SharedFile
  readonly revision: string | undefined
}

/**
 * Exports the ledger as text for other tools. `jsonl`: the lines as they are. `agent-trace`: the Agent Trace records
 * among them. `flat`: one small object for each file of each record, as older tools wrote them. `csv`: one row for each
 * of those. `git-ai`: the git-ai note for the commit at HEAD, of the current files.
 * @throws EscrowError `unsupported` for any other format, `nothing_selected` for `git-ai` without a commit
 */
export async function exportLedger(from: ExportSource, format: string): Promise<string> {
  if (format === 'git-ai') return noteOf(from)
  const write = WRITERS[format]
  if (write === undefined)
    throw unsupported(`The export format '${format}'`, `Use ${Object.keys(WRITERS).join(', ')} or git-ai.`)
  const lines = format === 'csv' ? [CSV_COLUMNS.join(',')] : []
  for (const { line, value } of wholeLines(from.file)) lines.push(...write(value, line))
  return lines.map((line) => `${line}\n`).join('')
}

type Writer = (record: TraceRecord, line: Line) => string[]

const WRITERS: Readonly<Record<string, Writer>> = {
  jsonl: (_, line) => [line.bytes.toString()],
  'agent-trace': (record, line) =>
    typeof record.version === 'string' && Array.isArray(record.files) ? [line.bytes.toString()] : [],
  flat: (record) => flatten(record).map((entry) => printableJson(JSON.stringify(entry))),
  csv: csvRows,
}

async function noteOf({ root, file, revision }: ExportSource): Promise<string> {
  if (revision === undefined) {
    throw new EscrowError('nothing_selected', 'There is no git commit yet to write a note for.')
  }
  return gitAiNote(await currentLines(root, file), agentsIn(file), revision)
}

interface FlatEntry {
  readonly req_id: string | null
  readonly intent_id: string | null
  readonly file: string | null
  readonly timestamp: string | null
  readonly mutation_class: string | null
  /** The hash of the file's whole content after the change, or else of its first range. */
  readonly content_hash: string | null
  readonly model_identifier?: string
  readonly related: string[]
  readonly ranges: { readonly content_hash: string | null }
}

/** A record without files, such as a denial or a tool call, has one entry, with its path or null. */
function flatten(record: TraceRecord): (FlatEntry | TraceRecord)[] {
  // The line is already flat.
  if (typeof record.file === 'string') return [record]
  const files = objectsOf(record.files)
  if (files.length === 0) return [flatEntry(record, {})]
  return files.map((file) => flatEntry(record, file))
}

function flatEntry(record: TraceRecord, file: TraceRecord): FlatEntry {
  const own = ownRecord(record)
  // Older lines have these fields in `conversations`, or in the file itself.
  const conversation = { ...objectOf(listOf(file.conversations)[0]), ...file }
  const path = text(file.relative_path) ?? text(file.path) ?? own?.path ?? null
  const firstRange = text(objectOf(listOf(conversation.ranges)[0]).content_hash) ?? null
  const change = own?.changes?.find((entry) => entry.path === path)
  const model = text(objectOf(conversation.contributor).model_identifier)
  const request = text(record.req_id) ?? null
  const related = listOf(conversation.related).flatMap((entry) => text(objectOf(entry).value) ?? [])
  return {
    req_id: request,
    intent_id: text(record.intent_id) ?? null,
    file: path,
    timestamp: text(record.timestamp) ?? null,
    mutation_class: text(conversation.mutation_class) ?? text(record.mutation_class) ?? null,
    content_hash: change?.after ?? firstRange,
    ...defined({ model_identifier: model }),
    related: request === null ? related : [request, ...related],
    ranges: { content_hash: firstRange },
  }
}
