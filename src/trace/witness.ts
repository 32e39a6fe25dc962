import type { KeyObject } from 'node:crypto'
import type { LedgerHead, TraceRecord } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import type { Tip } from './chain.js'
import { isSigned } from './keys.js'
import { isOwnRecord, type OwnRecordOf, ownRecordOf } from './own-record.js'

/** Checks a ledger, while it is read, against heads that are known from elsewhere: trailers and signed checkpoints. */

/** A record that the ledger must have. */
export interface Expected extends Pick<LedgerHead, 'seq' | 'hash'> {
  readonly ledger?: string
  /** The source of the expectation, for use in a sentence. */
  readonly by: string
}

export interface Witness {
  /** The fault of the record that the tip ends with; undefined if it has none. */
  onRecord(record: TraceRecord, tip: Tip): string | undefined
  /** After the last record: the first expected record that is missing, and the line where it belongs. */
  missingLine(tip: Tip): { readonly line: number; readonly problem: string } | undefined
  /** Checkpoints with a valid signature; those of unknown keys. */
  readonly signed: number
  readonly unknownKeys: number
}

export function witnessOf(expected: readonly Expected[], keys: ReadonlyMap<string, KeyObject>): Witness {
  const open = new Set(expected)
  const lines = new Map<number, number>()
  const ledgers = new Set<string | null>()
  let [signed, unknownKeys] = [0, 0]
  return {
    get signed() {
      return signed
    },
    get unknownKeys() {
      return unknownKeys
    },
    onRecord(record, tip) {
      if (!isOwnRecord(record)) return undefined
      for (const each of open) {
        if (each.seq !== tip.seq) continue
        if (each.hash === tip.own?.hash) open.delete(each)
        else if (!lines.has(each.seq)) lines.set(each.seq, tip.lines)
      }
      ledgers.add(tip.ledger)
      const own = ownRecordOf(record, 'checkpoint')
      if (own === undefined) return undefined
      const verdict = checkpoint(own, tip, keys)
      if (verdict === 'signed') signed++
      else if (verdict === 'unknown key') unknownKeys++
      else return verdict
      return undefined
    },
    missingLine(tip) {
      const [first] = [...open].sort((a, b) => a.seq - b.seq)
      if (first === undefined) return undefined
      if (first.ledger !== undefined && ledgers.size > 0 && !ledgers.has(first.ledger))
        return { line: 1, problem: `belongs to another ledger than ${first.by}` }
      const line = lines.get(first.seq)
      if (line !== undefined)
        return { line, problem: `is not the record ${first.seq} of ${first.by}: it was rewritten` }
      const problem = `is missing: ${first.by} names record ${first.seq}, and the ledger ends at ${tip.seq}`
      return { line: tip.lines + 1, problem }
    },
  }
}

function checkpoint(own: OwnRecordOf<'checkpoint'>, tip: Tip, keys: ReadonlyMap<string, KeyObject>) {
  const { signed_seq: seq, signed_hash: hash, key, signature } = own
  if (seq === undefined || hash === undefined || key === undefined || signature === undefined || tip.ledger === null) {
    return 'is a checkpoint without a signature'
  }
  if (seq !== tip.seq - 1 || hash !== tip.parent) return 'is a checkpoint that does not match the record before it'
  const known = keys.get(key)
  if (known === undefined) return 'unknown key'
  return isSigned({ ledger: tip.ledger, seq, hash }, signature, known)
    ? 'signed'
    : 'is a checkpoint with an invalid signature'
}

/** Parses a head in the form of a `Trace-Head:` trailer, `<seq>:<hash>`. */
export function headOf(text: string): Expected {
  const match = /^(?:Trace-Head:)?\s*([1-9][0-9]{0,14}):([0-9a-f]{64})\s*$/i.exec(text)
  if (match === null) {
    throw new EscrowError('nothing_selected', `'${text}' is not a ledger head: <number>:<64 hex digits> is expected.`, {
      hint: "'escrow trailer' prints one.",
    })
  }
  return {
    seq: Number(match[1]),
    hash: (match[2] ?? '').toLowerCase(),
    by: `the head ${match[1]}:${match[2]?.slice(0, 8)}…`,
  }
}
