import type { Refusal } from './api-error.js'

/** The shapes of a commit in the public API. */

/** How far a commit is. */
export interface CommitProgress {
  /** The commit is decided between `staging` and `applying`. */
  readonly phase: 'checking' | 'staging' | 'applying'
  /** Changes done in this phase, and in all. */
  readonly files: number
  readonly total: number
  /** Of new content written in this phase. */
  readonly bytes: number
}

/** How a commit goes. */
export interface CommitOptions {
  /** Never replaces a save that another program makes at the last moment. */
  readonly strict?: boolean
  /**
   * First merges the approved changes that have drifted into what is on disk now; where nothing is approved, all that have drifted
   * and nobody rejected. What was merged needs a verdict of its own, unless policy carries it over, and is named in
   * {@link CommitResult.left}. The other approved changes land. Rejects with `stale_file` where a merge leaves nothing to commit.
   */
  readonly merge?: boolean
  /** Calls the commit off until it is decided: it rejects with the signal's reason, and nothing has changed. */
  readonly signal?: AbortSignal
  /** Told now and then, at least at the begin and end of each phase. */
  readonly onProgress?: (progress: CommitProgress) => void
}

/** What was done about commits that a crash had cut off. */
export interface Recovery {
  /** Numbers of the commits that were decided: all of them is on disk now, and in the ledger. */
  readonly finished: number[]
  /** Attempts that were not: nothing of them had been on disk, and their files are gone. */
  readonly rolledBack: string[]
  /**
   * Paths of the finished where another program's version stands: it was left alone. `kept`: where the commit's own
   * version is, relative to the root, as long as the commit can be undone; absent where it was a removal.
   */
  readonly left: { seq: number; path: string; reason: string; kept?: string }[]
}

/** What a commit put on disk, and what it left alone. */
export interface CommitResult {
  /** The commit record's `tx`; '' when nothing was approved. */
  readonly id: string
  readonly seq: number
  readonly committed: string[]
  readonly conflicts: { path: string; reason: string }[]
  /**
   * Changes that stay staged though somebody may have meant to commit them: `stale_file` where they have drifted or hold a conflict,
   * `needs_approval` where they were merged just now, or changed after they were approved. Absent where there are none.
   */
  readonly left?: readonly Refusal[]
  /** What went wrong after the commit was done, and what to do: `intent_map.md` could not be written, say. */
  readonly warnings?: readonly string[]
}
