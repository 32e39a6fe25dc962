import { sha256hex } from '../../overlay/index.js'
import type { TraceRecord } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { newId } from '../core/ids.js'
import { joiningLink, nextLink, step, type Tip } from './chain.js'
import type { RecordDraft } from './draft-schema.js'
import { MAX_LINE, parseLine } from './lines.js'
import { buildRecord } from './record.js'
import type { Vcs } from './vcs.js'

/** A record in its place: the bytes for the file, without the LF, and the tip after them. */
export interface Placed {
  readonly record: TraceRecord
  readonly line: Buffer
  readonly tip: Tip
}

/**
 * Converts a draft to the record that follows a tip.
 * @throws EscrowError `limit_exceeded` when its line would be too long for the ledger
 */
export function placeDraft(draft: RecordDraft, tip: Tip, vcs: Vcs | undefined): Placed {
  const link = draft.type === 'merge' ? joiningLink(tip, newId) : nextLink(tip, newId)
  const record = buildRecord(draft, link, vcs)
  const line = Buffer.from(JSON.stringify(record))
  if (line.length > MAX_LINE) {
    throw new EscrowError(
      'limit_exceeded',
      `A ${draft.type} record of ${line.length} bytes exceeds the limit of ${MAX_LINE} bytes.`,
      { hint: 'Commit fewer files at once.' },
    )
  }
  const next = step(tip, record, sha256hex(line), line.length + 1)
  if ('problem' in next) throw new Error(`a record that was made for the tip ${next.problem}`)
  return { record, line, tip: next }
}

/** Checks a line that was read elsewhere as the line after a tip. */
export function placeLine(line: Buffer, tip: Tip): Placed | { readonly problem: string } {
  const parsed = parseLine({ bytes: line, oversize: line.length > MAX_LINE })
  if ('problem' in parsed) return parsed
  const next = step(tip, parsed.value, sha256hex(line), line.length + 1)
  return 'problem' in next ? next : { record: parsed.value, line, tip: next }
}

/** The bytes that the lines have in the file. */
export function joinLines(placed: readonly Placed[]): Buffer {
  const lf = Buffer.from('\n')
  return Buffer.concat(placed.flatMap(({ line }) => [line, lf]))
}
