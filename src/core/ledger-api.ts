/** The shapes of the ledger in the public API. */

import type { Reviewer } from './people.js'

/** What an anchor keeps: the newest record, and how long the file was behind it. */
export interface LedgerHead {
  readonly ledger: string
  readonly seq: number
  /** Hex SHA-256 of the record's line without its LF. */
  readonly hash: string
  /** Bytes. */
  readonly size: number
}

/** The Ed25519 key of this user. */
export interface SigningKey {
  /** Where the private half is. */
  readonly file: string
  readonly created: boolean
  readonly fingerprint: string
  /** SPKI, PEM. */
  readonly publicKey: string
}

/** What the ledger is held against, beside its own anchors. */
export interface VerifyOptions {
  /** Heads that were noted elsewhere, as `Trace-Head:` trailers have them: `<seq>:<hash>`. Each must be there. */
  readonly heads?: readonly string[]
}

/** Whether the ledger is whole, and what proves it. */
export interface VerifyResult {
  readonly ok: boolean
  readonly records: number
  /** The highest number of a record that this machine wrote, or that a person accepted here. */
  readonly anchored?: number
  /** The records that were neither written nor accepted here. The chain alone vouches for them. */
  readonly unanchored?: readonly RecordRange[]
  /** Lines of other tools that nobody accepted here. */
  readonly foreign?: number
  /** Newer records that this machine knows and the file does not have: of another branch, or cut off. */
  readonly absent?: AbsentRecords
  /** Checkpoints whose signature is good; those by keys not known here. */
  readonly signed?: number
  readonly unknownKeys?: number
  readonly firstBad?: { readonly line: number; readonly reason: string }
}

/** Numbers of records, both ends included. */
export interface RecordRange {
  readonly from: number
  readonly to: number
}

/** Records of this ledger that this machine knows and the file does not have. */
export interface AbsentRecords {
  readonly from: number
  /** The highest number. */
  readonly seq: number
  /** When that record was anchored: ISO 8601. */
  readonly at: string
}

/** What a ledger has that nothing on this machine anchors. */
export interface UnanchoredRecords {
  /** Records, and lines of other tools. */
  readonly count: number
  /** The records' numbers. */
  readonly ranges: readonly RecordRange[]
  /** The first record in whose place this machine knows another one. */
  readonly differs?: number
  readonly absent?: AbsentRecords
  /** Who approved, as the records say. */
  readonly approvers: readonly string[]
  readonly sessions: readonly string[]
  /** When the earliest and the latest of them were written, as they say: ISO 8601. */
  readonly first?: string
  readonly last?: string
}

/** Who wrote a line, as far as the ledger tells. */
export interface BlameLine {
  /** From 1. */
  readonly line: number
  /** `human`: a reviewer's edit, or written past escrow in a file the ledger knows. `unknown`: the ledger does not say. */
  readonly contributor: 'ai' | 'human' | 'unknown'
  readonly intentId?: string
  readonly sessionId?: string
  readonly model?: string
  /** The agent's program. */
  readonly tool?: string
  readonly approvedBy?: string
  readonly mutationClass?: string
  readonly recordId?: string
  /** The record was neither written nor accepted on this machine: nothing here proves what it says. */
  readonly unanchored?: true
}

/** A ledger line as parsed: Agent Trace 0.1.0 plus the older names and `metadata["dev.escrowfs"]`. */
export type TraceRecord = Record<string, unknown>

/** Lines that stand now in the files the ledger knows. */
export interface LineCounts {
  readonly total: number
  readonly ai: number
  readonly human: number
  readonly unknown: number
  /** Most first; so are the others. */
  readonly byIntent: Readonly<Record<string, number>>
  /** Of agents' lines. */
  readonly byModel: Readonly<Record<string, number>>
  readonly byClass: Readonly<Record<string, number>>
}

/** What the ledger adds up to. */
export interface LedgerStats {
  readonly lines: LineCounts
  /** Paths that were judged in reviews; a rate is between 0 and 1, null where there is nothing to divide by. */
  readonly approval: { readonly approved: number; readonly rejected: number; readonly rate: number | null }
  /** Lines agents wrote, and those of them that were changed or removed within so many days. */
  readonly rework: {
    readonly days: number
    readonly written: number
    readonly changed: number
    readonly rate: number | null
  }
}

/** The chain of records of a workspace, and what can be asked of it. */
export interface Ledger {
  records(): AsyncIterable<TraceRecord>
  /** Names the first bad line: changed, cut, rewritten, forked. Rejects with `nothing_selected` for a malformed head. */
  verify(options?: VerifyOptions): Promise<VerifyResult>
  /** The records that nothing on this machine anchors, without a check of the chain. */
  unanchored(): Promise<UnanchoredRecords>
  /**
   * Anchors the ledger as it is, whatever was anchored before: a person's word that a new or restored ledger is the
   * right one. Rejects with `ledger_corrupt` or `ledger_fork` where the chain itself is bad.
   */
  anchor(): Promise<LedgerHead | undefined>
  /**
   * A person's word that all records are right. Anchors those that this machine does not know, and joins the branches of a
   * ledger that git merged, by a `merge` record. Resolves to the head after that record, or to undefined where no branch
   * is open. Rejects with `ledger_corrupt` where a branch itself is bad, or lacks a record that it had here.
   */
  join(by?: Reviewer): Promise<LedgerHead | undefined>
  /** The newest record of ours, or undefined when there is none. Rejects with `ledger_fork` where branches are open. */
  head(): Promise<LedgerHead | undefined>
  blame(path: string): Promise<BlameLine[]>
  export(format: string): Promise<string>
  /** @param options `days`: how soon a change of a line counts as rework; 30 unless told. */
  stats(options?: { readonly days?: number }): Promise<LedgerStats>
}
