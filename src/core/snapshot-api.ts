/** A mark of the stage that a session can travel to. */
export interface Snapshot {
  readonly id: string
  readonly name?: string
  /** ISO 8601. */
  readonly at: string
  /** Of one made by itself: the tool call it was made before, and that call's tool. */
  readonly callId?: string
  readonly tool?: string
  /** The snapshot the stage had come from when this one was made: two with one parent are branches. */
  readonly parent?: string
}

/** What travelling did. */
export interface Travelled {
  /** The stage as it was before: travel there to come back. */
  readonly left: Snapshot
  /** Paths that stay as the disk has them: this session's commits changed them after the snapshot. */
  readonly kept: readonly string[]
}

/** Which changes: all since a snapshot, or those one tool call made. */
export type ChangesOf = { readonly since: string } | { readonly call: string }
