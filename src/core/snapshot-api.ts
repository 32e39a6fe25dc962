/** A saved state of the stage, which a session can restore. */
export interface Snapshot {
  readonly id: string
  readonly name?: string
  /** ISO 8601. */
  readonly at: string
  /** For an automatic snapshot: the tool call before which it was made. */
  readonly callId?: string
  /** For an automatic snapshot: the tool of that call. */
  readonly tool?: string
  /** The snapshot on which the stage was based. Two snapshots with the same parent are branches. */
  readonly parent?: string
}

/** The result of restoring a snapshot. */
export interface Travelled {
  /** A snapshot of the stage before. Restore it to return. */
  readonly left: Snapshot
  /** Paths that keep the disk's content, because this session's commits changed them after the snapshot. */
  readonly kept: readonly string[]
}

/** Selects changes by an id: all since a snapshot, or those of one tool call. */
export type ChangesOf = { readonly since: string } | { readonly call: string }
