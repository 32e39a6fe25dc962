/** The shapes of the ledger in the public API. */

import type { Reviewer } from './api.js'

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
  /** The record that an anchor outside the workspace vouches for; what follows it is proven by the next one. */
  readonly anchored?: number
  /** Checkpoints whose signature is good; those by keys not known here. */
  readonly signed?: number
  readonly unknownKeys?: number
  readonly firstBad?: { readonly line: number; readonly reason: string }
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
  readonly approvedBy?: string
  readonly mutationClass?: string
  readonly recordId?: string
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
  /**
   * Anchors the ledger as it stands, whatever was anchored before: a person's word that a new or restored ledger is the
   * right one. Rejects with `ledger_corrupt` or `ledger_fork` where the chain itself is bad.
   */
  anchor(): Promise<LedgerHead | undefined>
  /**
   * Joins the branches of a ledger that git merged, by a `merge` record: a person's word that both are theirs. Resolves to
   * the new head, or undefined where nothing is to be joined. Rejects with `ledger_corrupt` where a branch itself is bad,
   * or lacks what was anchored here.
   */
  join(by?: Reviewer): Promise<LedgerHead | undefined>
  /** The newest record of ours, or undefined when there is none. Rejects with `ledger_fork` where branches are open. */
  head(): Promise<LedgerHead | undefined>
  blame(path: string): Promise<BlameLine[]>
  export(format: string): Promise<string>
  /** @param options `days`: how soon a change of a line counts as rework; 30 unless told. */
  stats(options?: { readonly days?: number }): Promise<LedgerStats>
}
