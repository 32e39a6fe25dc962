import type { TraceRecord } from '../core/api.js'
import { unsupported } from '../core/api-error.js'
import { isObject } from './lines.js'
import { wholeLines } from './read.js'
import { ownOf } from './record.js'

/**
 * The ledger as text, for other tools. `jsonl`: the lines as they are. `flat`: one small object for each file of each
 * record, as older tools kept them.
 * @throws EscrowError `unsupported` for any other format.
 */
export async function exportLedger(file: string, format: string): Promise<string> {
  const lines: string[] = []
  if (format === 'jsonl') {
    for (const { line } of wholeLines(file)) lines.push(line.bytes.toString())
  } else if (format === 'flat') {
    for (const { value } of wholeLines(file)) for (const entry of flatten(value)) lines.push(JSON.stringify(entry))
  } else {
    throw unsupported(`The export format '${format}'`)
  }
  return lines.map((line) => `${line}\n`).join('')
}

export interface FlatEntry {
  readonly req_id: string | null
  readonly intent_id: string | null
  readonly file: string | null
  readonly timestamp: string | null
  readonly mutation_class: string | null
  /** Of the file's whole content after the change, else of its first range. */
  readonly content_hash: string | null
  readonly model_identifier?: string
  readonly related: string[]
  readonly ranges: { readonly content_hash: string | null }
}

/** A record without files (a denial, a tool call) has one entry, with the path it is about or null. */
function flatten(record: TraceRecord): (FlatEntry | TraceRecord)[] {
  // A line that is flat already.
  if (typeof record.file === 'string') return [record]
  const files = listOf(record.files).filter(isObject)
  if (files.length === 0) return [flatEntry(record, {})]
  return files.map((file) => flatEntry(record, file))
}

function flatEntry(record: TraceRecord, file: TraceRecord): FlatEntry {
  const own = ownOf(record) ?? {}
  // Older lines keep these under `conversations`, or right under the file.
  const conversation = { ...objectOf(listOf(file.conversations)[0]), ...file }
  const path = text(file.relative_path) ?? text(file.path) ?? text(own.path)
  const firstRange = text(objectOf(listOf(conversation.ranges)[0]).content_hash)
  const change = listOf(own.changes).find((entry) => isObject(entry) && entry.path === path)
  const model = text(objectOf(conversation.contributor).model_identifier)
  const request = text(record.req_id)
  const related = listOf(conversation.related).flatMap((entry) => text(objectOf(entry).value) ?? [])
  return {
    req_id: request,
    intent_id: text(record.intent_id),
    file: path,
    timestamp: text(record.timestamp),
    mutation_class: text(conversation.mutation_class) ?? text(record.mutation_class),
    content_hash: text(objectOf(change).after) ?? firstRange,
    ...(model !== null && { model_identifier: model }),
    related: request === null ? related : [request, ...related],
    ranges: { content_hash: firstRange },
  }
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function objectOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {}
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
