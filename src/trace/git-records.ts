import type { TraceRecord } from '../core/api.js'
import { objectOf, text } from './fields.js'
import { OWN } from './own-record.js'

const TRACE_HEAD = /^\s*Trace-Head:\s*\d+:([0-9a-f]{64})\s*$/gim

/** Which git commits the ledger has the records of. A rewritten commit has another id, and keeps its `Trace-Head`. */
export class GitRecords {
  /** The record before each one that landed as git commits. */
  readonly #heads = new Set<string>()
  readonly #ids = new Set<string>()
  #begin = Number.POSITIVE_INFINITY

  /** Adds the next record. */
  note(record: TraceRecord): void {
    const at = Date.parse(text(record.timestamp) ?? '')
    if (at < this.#begin) this.#begin = at
    const id = text(record.id)
    if (id !== undefined) this.#ids.add(id)
    const own = objectOf(objectOf(record.metadata)[OWN])
    const prev = text(own.prev)
    if (own.type === 'commit' && own.git !== undefined && prev !== undefined) this.#heads.add(prev)
  }

  /** The time of the first record, in milliseconds since 1970. */
  get begin(): number {
    return this.#begin
  }

  /** Whether the ledger has a record. */
  has(id: string): boolean {
    return this.#ids.has(id)
  }

  /** Whether each `Trace-Head` of a commit's message is followed by the record of a git commit; false without any. */
  hasAllOf(message: string): boolean {
    const heads = [...message.matchAll(TRACE_HEAD)].flatMap(([, hash]) => hash ?? [])
    return heads.length > 0 && heads.every((hash) => this.#heads.has(hash))
  }
}
