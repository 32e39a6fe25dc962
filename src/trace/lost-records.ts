import { sha256hex } from '../../overlay/index.js'
import type { TraceRecord } from '../core/api.js'
import { text } from './fields.js'
import { parseLine } from './lines.js'
import type { Origin } from './origins.js'
import { linkIn, type Vouching } from './vouching.js'

/**
 * Records that the ledger has lost, read from the versions of its file in git: a squash or a checkout took an older file. They
 * explain lines that are unknown otherwise, and nothing else: anybody who can push a branch can write one.
 */

export interface LostRecord {
  readonly record: TraceRecord
  /** Whether this machine wrote or accepted the record. */
  readonly isAnchored: boolean
}

/**
 * The records among lines that the ledger does not have.
 * @param hasRecord whether the ledger has a record with an id
 */
export function lostRecords(
  lines: readonly string[],
  hasRecord: (id: string) => boolean,
  vouching: Vouching,
): LostRecord[] {
  const found = new Map<string, LostRecord>()
  for (const line of lines) {
    const bytes = Buffer.from(line)
    const parsed = parseLine({ bytes, oversize: false })
    if ('problem' in parsed) continue
    const record = parsed.value
    const id = text(record.id)
    // Of several records with one id, the one that this machine knows is real.
    if (id === undefined || hasRecord(id) || found.get(id)?.isAnchored) continue
    const isAnchored = vouching.vouches(sha256hex(bytes), () => linkIn(record))
    if (isAnchored || !found.has(id)) found.set(id, { record, isAnchored })
  }
  return [...found.values()]
}

/**
 * The origins of lines, with those that a lost record explains. From a record that no anchor vouches for, only an agent
 * is taken, and no approval: its writer could name a person as the author of an agent's line.
 * @param before by the ledger alone: an origin that it knows stays
 * @param after with the lost records
 */
export function withLost(before: readonly Origin[], after: readonly Origin[], lost: readonly LostRecord[]): Origin[] {
  const ids = new Set(lost.map(({ record }) => text(record.id)))
  return before.map((origin, line) => {
    const found = after[line]
    if (origin.contributor !== 'unknown' || origin.why === undefined || found?.recordId === undefined) return origin
    if (!ids.has(found.recordId)) return origin
    if (!found.unanchored) return { ...found, fromGit: true }
    const { approvedBy: _, ...claimed } = found
    return found.contributor === 'ai' ? { ...claimed, fromGit: true } : origin
  })
}
