import { sha256hex } from '../../overlay/digest.js'
import type { TraceRecord } from '../core/api.js'
import { isObject } from './lines.js'
import { type ChainLink, OWN } from './record.js'

/**
 * The chain, as a pure fold over lines. Each record of ours names the hash of the line before it. Lines of other tools
 * name nothing, so our next record also carries the fold of their hashes: `fold = sha256(fold + hash)`, in hex, from ''.
 */

/** Where a reading of the ledger stands. */
export interface Tip {
  readonly lines: number
  /** Byte offset of the last line, and of what follows it. */
  readonly start: number
  readonly end: number
  /** Hex SHA-256 of the last line, whoever wrote it. */
  readonly hash: string | null
  readonly ledger: string | null
  /** Of our last record; 0 before the first. */
  readonly seq: number
  /** Our last record's hash, and the byte offsets of its line and of what follows it. */
  readonly own: { readonly hash: string; readonly start: number; readonly end: number } | null
  /** Lines of other tools since. */
  readonly foreign: { readonly lines: number; readonly sha256: string }
}

const NO_FOREIGN = { lines: 0, sha256: '' } as const

export const EMPTY_TIP: Tip = {
  lines: 0,
  start: 0,
  end: 0,
  hash: null,
  ledger: null,
  seq: 0,
  own: null,
  foreign: NO_FOREIGN,
}

/** What is wrong with a line. `unlinked`: its `prev` is not the line before; either of the two may have been changed. */
export interface Break {
  readonly problem: string
  readonly unlinked?: true
}

/** The tip after one more line (`size`: its bytes with the LF), or why it cannot stand there. */
export function step(tip: Tip, value: TraceRecord, hash: string, size: number): Tip | Break {
  const own = ownFieldsOf(value)
  const place = { lines: tip.lines + 1, start: tip.end, end: tip.end + size, hash }
  if (own === undefined) return { ...tip, ...place, foreign: foldForeign(tip.foreign, hash) }
  const problem = 'problem' in own ? own : check(tip, own)
  if (problem !== undefined) return problem
  const { ledger, seq } = own as ChainLink
  return { ...place, ledger, seq, own: { hash, start: place.start, end: place.end }, foreign: NO_FOREIGN }
}

/** What the next record has to say to continue from here. */
export function nextLink(tip: Tip, newLedger: () => string): ChainLink {
  return {
    ledger: tip.ledger ?? newLedger(),
    seq: tip.seq + 1,
    prev: tip.hash,
    ...(tip.foreign.lines > 0 && { foreign: tip.foreign }),
  }
}

/** Our fields of a line; undefined on a line of another tool. */
export function ownFieldsOf(value: TraceRecord): ChainLink | Break | undefined {
  const own = isObject(value.metadata) ? value.metadata[OWN] : undefined
  if (own === undefined) return undefined
  if (!isObject(own)) return { problem: `has a metadata["${OWN}"] that is not an object` }
  const { ledger, seq, prev, foreign } = own
  if (typeof ledger !== 'string') return { problem: 'names no ledger' }
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 1) return { problem: 'has no sequence number' }
  if (prev !== null && typeof prev !== 'string') return { problem: 'does not name the line before it' }
  if (foreign === undefined) return { ledger, seq, prev }
  if (!isObject(foreign) || typeof foreign.lines !== 'number' || typeof foreign.sha256 !== 'string') {
    return { problem: 'covers lines of other tools in a form that is not understood' }
  }
  return { ledger, seq, prev, foreign: { lines: foreign.lines, sha256: foreign.sha256 } }
}

function check(tip: Tip, own: ChainLink): Break | undefined {
  if (tip.ledger !== null && own.ledger !== tip.ledger) return { problem: 'belongs to another ledger' }
  if (own.seq > tip.seq + 1) {
    return { problem: `has sequence number ${own.seq} where ${tip.seq + 1} is due: records before it are missing` }
  }
  if (own.seq <= tip.seq) {
    return { problem: `has sequence number ${own.seq} where ${tip.seq + 1} is due: it is out of order or repeated` }
  }
  if (own.prev !== tip.hash) return { problem: 'does not continue the line before it', unlinked: true }
  const claimed = own.foreign ?? NO_FOREIGN
  if (claimed.lines !== tip.foreign.lines || claimed.sha256 !== tip.foreign.sha256) {
    return { problem: 'follows lines of other tools that were changed since' }
  }
  return undefined
}

function foldForeign(fold: Tip['foreign'], hash: string): Tip['foreign'] {
  return { lines: fold.lines + 1, sha256: sha256hex(fold.sha256 + hash) }
}
