/** A saved state of the stage that a session can travel to. */
export interface Snapshot {
  readonly id: string
  readonly name?: string
  /** ISO 8601. */
  readonly at: string
  /** For an automatic snapshot: the tool call that it was made before, and that call's tool. */
  readonly callId?: string
  readonly tool?: string
  /** The snapshot that the stage was at before. Two snapshots with one parent are branches. */
  readonly parent?: string
}

/** The result of a travel. */
export interface Travelled {
  /** The stage before the travel: travel there to return. */
  readonly left: Snapshot
  /** Paths that keep the disk's content, as this session's commits changed them after the snapshot. */
  readonly kept: readonly string[]
}

/** Selects changes: all since a snapshot, or those of one tool call, by id. */
export type ChangesOf = { readonly since: string } | { readonly call: string }
