import type { Refusal } from './api-error.js'

/** The types of a commit in the public API. */

/** The progress of a commit. */
export interface CommitProgress {
  /** The commit becomes durable between `staging` and `applying`; after that it cannot be aborted. */
  readonly phase: 'checking' | 'staging' | 'applying'
  /** Changes done in this phase, and in all. */
  readonly files: number
  readonly total: number
  /** Bytes of new content written in this phase. */
  readonly bytes: number
}

/** Options of a commit. */
export interface CommitOptions {
  /** Never replace a save that another program makes while the commit is applied. */
  readonly strict?: boolean
  /**
   * First merge the approved changes that have drifted with the disk; where nothing is approved, all that have drifted and nobody
   * rejected. Merged changes need a new verdict, unless policy keeps approvals, and are listed in {@link CommitResult.left}. The
   * other approved changes are committed. Rejects with `stale_file` where nothing is left to commit.
   */
  readonly merge?: boolean
  /** Aborts the commit until it is durable: it rejects with the signal's reason, and nothing has changed. */
  readonly signal?: AbortSignal
  /** Called from time to time, at least at the begin and end of each phase. */
  readonly onProgress?: (progress: CommitProgress) => void
}

/** The recovery of interrupted commits. */
export interface Recovery {
  /** Numbers of durable commits that were completed, on disk and in the ledger. */
  readonly finished: number[]
  /** Attempts that were not durable. None of their changes had reached the disk; their temporary files were removed. */
  readonly rolledBack: string[]
  /**
   * Paths of finished commits where another program's version was found and kept. `kept`: the path of the commit's own version,
   * relative to the root, as long as the commit can be undone; absent for a removal.
   */
  readonly left: { seq: number; path: string; reason: string; kept?: string }[]
}

/** The result of a commit. */
export interface CommitResult {
  /** The commit record's `tx`; '' when nothing was approved. */
  readonly id: string
  /** The commit's number in the workspace, from 1; 0 when nothing was approved. */
  readonly seq: number
  /** The paths that were committed. */
  readonly committed: string[]
  /** Paths where another program's save was found while the commit was applied, and kept. */
  readonly conflicts: { path: string; reason: string }[]
  /**
   * Changes that stay staged although somebody may expect them to be committed: `stale_file` for drift or a conflict,
   * `needs_approval` for a new merge or a change after the approval. Absent where there are none.
   */
  readonly left?: readonly Refusal[]
  /** Failures after the commit was done, with what to do, such as an `intent_map.md` that cannot be written. */
  readonly warnings?: readonly string[]
}
