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

export interface CommitOptions {
  /** Never replaces a save that another program makes at the last moment. */
  readonly strict?: boolean
  readonly merge?: boolean
  /** Calls the commit off until it is decided: it rejects with the signal's reason, and nothing has changed. */
  readonly signal?: AbortSignal
  /** Told now and then, at least at the begin and end of each phase. */
  readonly onProgress?: (progress: CommitProgress) => void
}

export interface CommitResult {
  /** The commit record's `tx`; '' when nothing was approved. */
  readonly id: string
  readonly seq: number
  readonly committed: string[]
  readonly conflicts: { path: string; reason: string }[]
}
