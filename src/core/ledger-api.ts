/** The shapes of the ledger in the public API. */

import type { Reviewer } from './people.js'

/** The newest record of a ledger, and the size of the file up to it. An anchor stores a head. */
export interface LedgerHead {
  /** The id of the ledger. */
  readonly ledger: string
  /** The record's number. */
  readonly seq: number
  /** SHA-256 of the record's line without its LF, in hex. */
  readonly hash: string
  /** The size of the file in bytes, up to the end of the record. */
  readonly size: number
}

/** The Ed25519 key of this user. */
export interface SigningKey {
  /** The file with the private key. */
  readonly file: string
  /** Whether this call created the key. */
  readonly created: boolean
  readonly fingerprint: string
  /** The public key in PEM form (SPKI). */
  readonly publicKey: string
}

/** Options for {@link Ledger.verify}. */
export interface VerifyOptions {
  /** Known heads that the ledger must contain, in the form of a `Trace-Head:` trailer: `<seq>:<hash>`. */
  readonly heads?: readonly string[] | undefined
}

/** The result of a check of the ledger, and the evidence for it. */
export interface VerifyResult {
  readonly ok: boolean
  /** The number of lines. */
  readonly records: number
  /** The highest number of an anchored record: one that this machine wrote, or that a person accepted on this machine. */
  readonly anchored?: number
  /** The records that are not anchored. Only the hash chain covers them. */
  readonly unanchored?: readonly RecordRange[]
  /** The number of other tools' lines that nobody has accepted on this machine. */
  readonly foreign?: number
  /** Newer records that this machine knows and that the file lacks: they are on another branch, or were cut off. */
  readonly absent?: AbsentRecords
  /** The number of checkpoints with a valid signature. */
  readonly signed?: number
  /** The number of checkpoints whose key is not known on this machine. */
  readonly unknownKeys?: number
  /** The first bad line, counted from 1, and why it is bad. */
  readonly firstBad?: { readonly line: number; readonly reason: string }
}

/** A range of record numbers, both ends included. */
export interface RecordRange {
  readonly from: number
  readonly to: number
}

/** Records of this ledger that this machine knows and that the file lacks. */
export interface AbsentRecords {
  /** The lowest number. */
  readonly from: number
  /** The highest number. */
  readonly seq: number
  /** When the record with the highest number was anchored: ISO 8601. */
  readonly at: string
}

/** The lines of a ledger that are not anchored on this machine. Names and times are those in the records. */
export interface UnanchoredRecords {
  /** The number of lines, including those of other tools. */
  readonly count: number
  /** The records' numbers. */
  readonly ranges: readonly RecordRange[]
  /** The first number for which this machine knows a different record. */
  readonly differs?: number
  /** Records that the file lacks. */
  readonly absent?: AbsentRecords
  /** The names of the reviewers who approved changes. */
  readonly approvers: readonly string[]
  /** The ids of the sessions. */
  readonly sessions: readonly string[]
  /** The time of the oldest line: ISO 8601. */
  readonly first?: string
  /** The time of the newest line: ISO 8601. */
  readonly last?: string
}

/** The author of a line, according to the ledger. */
export interface BlameLine {
  /** The line's number, from 1. */
  readonly line: number
  /**
   * `human`: a reviewer's edit, or an edit outside escrowfs in a file that the ledger records. `unknown`: the ledger has no record of
   * the line.
   */
  readonly contributor: 'ai' | 'human' | 'unknown'
  readonly intentId?: string
  readonly sessionId?: string
  readonly model?: string
  /** The agent's program. */
  readonly tool?: string
  readonly approvedBy?: string
  readonly mutationClass?: string
  readonly recordId?: string
  /** Why the author is unknown, where more is known than that the ledger has no record of the line. */
  readonly why?: string
  /** A git note of another tool or clone names the author, and the ledger has no record of the line. Anybody can write such a note. */
  readonly imported?: true
  /**
   * The ledger has lost the record, and it was read from a version of the ledger in git. With `unanchored`, anybody can have
   * written it, and it names no approver.
   */
  readonly fromGit?: true
  /** The record is not anchored on this machine, so there is no proof of its content. */
  readonly unanchored?: true
}

/** A parsed line of the ledger: Agent Trace 0.1.0, plus the older names and `metadata["dev.escrowfs"]`. */
export type TraceRecord = Record<string, unknown>

/** The current lines of the files in the ledger, by author. */
export interface LineCounts {
  readonly total: number
  readonly ai: number
  readonly human: number
  readonly unknown: number
  /** Lines by intent, the largest count first. */
  readonly byIntent: Readonly<Record<string, number>>
  /** Agents' lines by model, the largest count first. */
  readonly byModel: Readonly<Record<string, number>>
  /** Agents' lines by mutation class, the largest count first. */
  readonly byClass: Readonly<Record<string, number>>
}

/** Commits that have changes released by people or by one tier, and those changes. `undone`: how many of these commits were undone. */
export interface ReleasedCounts {
  readonly commits: number
  readonly changes: number
  readonly undone: number
}

/** The approvers of the committed changes. A commit with changes of several approvers counts for each of them. */
export interface ReleaseTotals {
  /** People: every change that no rule has approved. */
  readonly byPeople: ReleasedCounts
  /** Rules, by the name of the tier, the most changes first. */
  readonly byTier: Readonly<Record<string, ReleasedCounts>>
}

/** Totals of the ledger. */
export interface LedgerStats {
  readonly lines: LineCounts
  /** Verdicts of people on paths. `rate` is the approved share, from 0 to 1; null if there are no verdicts. */
  readonly approval: { readonly approved: number; readonly rejected: number; readonly rate: number | null }
  /**
   * The lines that agents wrote (`written`), and how many of them were changed or removed within `days` (`changed`). `rate` is the
   * changed share, from 0 to 1; null if no lines were written.
   */
  readonly rework: {
    readonly days: number
    readonly written: number
    readonly changed: number
    readonly rate: number | null
  }
  readonly released: ReleaseTotals
}

/** The ledger of a workspace: a hash chain of records, with queries on it. */
export interface Ledger {
  /**
   * Reads the records, the oldest first by default. With `order: 'newest'`, only the records that are taken cost time.
   * @throws EscrowError `ledger_corrupt` at a line that cannot be read
   */
  records(options?: { readonly order?: 'oldest' | 'newest' }): AsyncIterable<TraceRecord>
  /**
   * Checks the format of each line, the hash chain and the anchors. Reports the first line that was changed, cut off, rewritten or
   * forked. Rejects with `nothing_selected` for a malformed head.
   */
  verify(options?: VerifyOptions): Promise<VerifyResult>
  /**
   * Returns why nothing can be appended, in a sentence: the ledger was changed, cut off, or has unjoined branches. Undefined if nothing is
   * wrong. Checks only what this machine has not checked before; {@link verify} checks everything.
   */
  problem(): Promise<string | undefined>
  /** Summarizes the records that are not anchored on this machine. Does not check the chain. */
  unanchored(): Promise<UnanchoredRecords>
  /**
   * Anchors the present ledger, and replaces earlier anchors. Call it for a person who confirms that a new or restored ledger is the
   * right one. Returns its head, or undefined for an empty ledger. Rejects with `ledger_corrupt` or `ledger_fork` if the chain is
   * invalid.
   */
  anchor(): Promise<LedgerHead | undefined>
  /**
   * Anchors the records that are not anchored on this machine, and joins the branches of a ledger that git merged with a `merge`
   * record. Call it for a person who confirms that all records are right. Returns the head after the `merge` record, or undefined if
   * there are no branches to join. Rejects with `ledger_corrupt` if a branch is invalid, or lacks a record that it had on this machine.
   */
  join(by?: Reviewer): Promise<LedgerHead | undefined>
  /** Returns the newest record of escrowfs, or undefined. Rejects with `ledger_fork` if there are unjoined branches. */
  head(): Promise<LedgerHead | undefined>
  /**
   * Returns the author of each line of a file on disk.
   * @param path absolute or relative to the root
   * Rejects with `nothing_selected` if there is no text file, `path_escape` outside the workspace.
   */
  blame(path: string): Promise<BlameLine[]>
  /**
   * Returns the ledger as text in another format. Rejects with `unsupported` for an unknown format, and with `nothing_selected` for
   * `git-ai` without a commit.
   * @param format `jsonl`, `agent-trace`, `flat`, `csv` or `git-ai`
   */
  export(format: string): Promise<string>
  /**
   * Computes totals of the ledger.
   * @param options `days`: a line that is changed or removed within this time counts as rework; 30 by default
   */
  stats(options?: { readonly days?: number }): Promise<LedgerStats>
}
