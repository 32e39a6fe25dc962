/** The types of staged changes in the public API. */

import type { Mutation } from './mutation.js'
import type { Reviewer } from './people.js'
import type { Risk } from './risk-api.js'

/** The kind of a change. */
export type ChangeKind = 'create' | 'modify' | 'delete' | 'rename' | 'mode' | 'link' | 'mkdir'
/** The latest verdict on a change that was not cancelled; `pending` without one. */
export type ChangeState = 'pending' | 'approved' | 'rejected'

/** Adjacent changed lines that a reviewer can approve or reject separately. */
export interface Hunk {
  /** Stays the same while the hunk's old and new text stay the same. */
  readonly id: string
  readonly oldStart: number
  readonly oldLines: number
  readonly newStart: number
  readonly newLines: number
  /** The hunk in unified diff format, including its `@@` line. */
  readonly text: string
  /** The id of the hunk that it was split from: see `Review.split`. */
  readonly partOf?: string
  /** The latest verdict on the hunk or on its file. */
  readonly state: ChangeState
}

/** A rejection of a change, or of some of its hunks, that no later verdict has replaced. */
export interface ChangeRejection {
  /** The reason, as the agent gets it. */
  readonly reason: string
  /** The ids of the rejected hunks; absent if the whole change is rejected. */
  readonly hunks?: readonly string[]
  readonly by: Reviewer
  /** ISO 8601. */
  readonly at: string
}

/** One path whose staged state differs from its base: the disk's state when the session first touched the path. */
export interface Change {
  readonly path: string
  /** The old path of a rename. */
  readonly from?: string
  readonly kind: ChangeKind
  /** Content digests. `before` is null for a create, `after` for a delete. */
  readonly before: string | null
  readonly after: string | null
  /** Permission bits, if they differ or the file is new. */
  readonly mode?: { readonly before: number | null; readonly after: number | null }
  readonly hunks: Hunk[]
  /** `pending` if its hunks have different states. */
  readonly state: ChangeState
  /** The rejections in force. Absent if there are none. */
  readonly rejections?: readonly ChangeRejection[]
  /** drifted, protected, out-of-scope, binary, symlink, … */
  readonly flags: string[]
  /** The intent that was active at the last write, if any. */
  readonly intentId?: string
  /** The ids of the tool calls that wrote it, oldest first. */
  readonly calls?: string[]
  /** The position of its last write in the sequence of the session's edits. */
  readonly writtenAt?: number
  /** In a review: the measured and the declared mutation class. Absent for a new file. */
  readonly mutation?: Mutation
  /** With `ChangesOptions.risk`: facts that a reviewer should know before reading the change. */
  readonly risk?: Risk
}

/** All staged changes of a session. */
export interface ChangeSet {
  /** A digest of the paths and both sides of all changes. Equal digests mean equal change sets. */
  readonly digest: string
  /** Deletions first, then sorted by path. */
  readonly changes: Change[]
}

/** Changes that a reviewer reads together: see `groupChanges`. */
export interface ChangeGroup {
  /** For a group that needs attention first: `delete`, or the common flag. */
  readonly attention?: string
  /** For other groups: the intent and the tool call of the changes, if known. */
  readonly intentId?: string
  readonly callId?: string
  /** Sorted by path. */
  readonly changes: readonly Change[]
}
