/** The types of staged changes in the public API. */

import type { Mutation } from './mutation.js'
import type { Risk } from './risk-api.js'

/** The kind of a change. */
export type ChangeKind = 'create' | 'modify' | 'delete' | 'rename' | 'mode' | 'link' | 'mkdir'
/** The latest verdict in force on a change; `pending` without one. */
export type ChangeState = 'pending' | 'approved' | 'rejected'

/** A run of changed lines that can be decided by itself. */
export interface Hunk {
  /** Stable while the hunk's old and new text are. */
  readonly id: string
  readonly oldStart: number
  readonly oldLines: number
  readonly newStart: number
  readonly newLines: number
  /** The hunk in unified form, its `@@` line included. */
  readonly text: string
  /** The id of the larger hunk it is a piece of: see `Review.split`. */
  readonly partOf?: string
  /** By a verdict on the hunk, or on its file: the latest. */
  readonly state: ChangeState
}

/** One path that differs between the stage and what the disk held when the session first touched it. */
export interface Change {
  readonly path: string
  readonly from?: string
  readonly kind: ChangeKind
  /** Digests; `before` is null for a create, `after` for a delete. */
  readonly before: string | null
  readonly after: string | null
  /** Permission bits, where they differ or the file is new. */
  readonly mode?: { readonly before: number | null; readonly after: number | null }
  readonly hunks: Hunk[]
  /** Pending too where only some of its hunks are approved or rejected: each hunk has its own. */
  readonly state: ChangeState
  /** drifted, protected, out-of-scope, binary, symlink, … */
  readonly flags: string[]
  /** The intent active at the last write, where there was one. */
  readonly intentId?: string
  /** The tool calls that wrote it, the earliest first. */
  readonly calls?: string[]
  /** The position of its last write among the session's edits: smaller is earlier. */
  readonly writtenAt?: number
  /** In a review: the measured mutation class, and the declared one. Not for a new file. */
  readonly mutation?: Mutation
  /** In a review that was asked for it: facts that a reviewer should know before reading. */
  readonly risk?: Risk
}

/** All staged changes of a session. */
export interface ChangeSet {
  /** Over the paths and both sides of all changes. Equal digests mean equal change sets. */
  readonly digest: string
  /** Deletions first, then by path. */
  readonly changes: Change[]
}

/** Changes to be read together: see `groupChanges`. */
export interface ChangeGroup {
  /** Why they come first: `delete`, or the flag they share. */
  readonly attention?: string
  /** Otherwise the intent and tool call that they came from, as far as they are known. */
  readonly intentId?: string
  readonly callId?: string
  /** By path. */
  readonly changes: readonly Change[]
}
