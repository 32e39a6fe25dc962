import type { Refusal } from './api-error.js'

/** The types of a commit in the public API. */

/** The progress of a commit. */
export interface CommitProgress {
  /** The commit becomes durable between `staging` and `applying`; after that it cannot be aborted. */
  readonly phase: 'checking' | 'staging' | 'applying'
  /** The number of changes done in this phase. */
  readonly files: number
  /** The number of all changes of the commit. */
  readonly total: number
  /** Bytes of new content written in this phase. */
  readonly bytes: number
}

/** Options for `Review.commit`. */
export interface CommitOptions {
  /** Never overwrites a save that another program makes while the commit is applied. */
  readonly strict?: boolean | undefined
  /**
   * First merges the approved changes that have drifted with the disk; if nothing is approved, all drifted changes that nobody has
   * rejected. Merged changes need a new verdict, unless policy keeps approvals, and are listed in {@link CommitResult.left}. Then
   * commits the other approved changes. Rejects with `stale_file` if nothing is left to commit.
   */
  readonly merge?: boolean | undefined
  /**
   * Also makes a git commit of the changes: both happen, or neither. Rejects with `unsupported` if git cannot take them; nothing is
   * written then. If absent, policy decides (`commit.git`); `false` makes none.
   */
  readonly git?: GitCommitOptions | false | undefined
  /** Aborts the commit, if it is not durable yet. It then rejects with the signal's reason, and nothing has changed. */
  readonly signal?: AbortSignal | undefined
  /** Called repeatedly, at least at the beginning and the end of each phase. */
  readonly onProgress?: ((progress: CommitProgress) => void) | undefined
}

/** Options for commits of approved changes in the git repository that contains the workspace. */
export interface GitCommitOptions {
  /** The branch to commit to; the current one by default. A new one begins at `HEAD`. */
  readonly branch?: string | undefined
  /**
   * One commit for all changes (`all`, the default), for each intent, for each tool call that wrote some (`step`), or
   * for each git commit that the agent made in a contained command (`proposal`). A proposal keeps its message; a path
   * belongs to the last one that names it.
   */
  readonly per?: GitCommitPer | undefined
  /** The subject and body of each commit. By default they come from the intent and from the agent's reasons. */
  readonly message?: string | undefined
  /** Edits a message before its trailers are added. An empty result cancels the commit. */
  readonly edit?: ((message: string) => Promise<string>) | undefined
  /**
   * Also commits edits that a person made in the same files and has not committed. By default such a file is refused,
   * because the commit would contain them.
   */
  readonly wholeFiles?: boolean | undefined
  /**
   * Runs the repository's `commit-msg` hook, and for a commit to the current branch its `pre-commit` hook: contained,
   * on the disk with the approved changes. The files that `pre-commit` writes are dropped. If it stages other contents,
   * nothing is committed.
   */
  readonly hooks?: boolean | undefined
}

/**
 * The unit of one git commit: all changes, or the changes of one intent, one tool call, or one git commit of the agent.
 */
export type GitCommitPer = 'all' | 'intent' | 'step' | 'proposal'

/** A patch of staged changes. */
export interface Patch {
  /** A file name: the patch's number and its subject, such as `0001-Store-money-in-cents.patch`. */
  readonly name: string
  /** An e-mail in the format of `git format-patch`, for `git am`. */
  readonly content: Uint8Array
}

/** The result of a commit in git. */
export interface GitCommitResult {
  /** `HEAD` if no branch is checked out, else the branch's full name, `refs/heads/…`. */
  readonly ref: string
  /** The ids of the new commits, oldest first. Empty if git ignores every path, or already has the same contents. */
  readonly commits: readonly string[]
  /** Paths that git ignores: they are written to disk and not committed to git. */
  readonly ignored: readonly string[]
  /** Hooks of the repository that did not run. */
  readonly hooksLeft: readonly string[]
}

/** The recovery of interrupted commits. */
export interface Recovery {
  /** Numbers of durable commits that were completed, on disk and in the ledger. */
  readonly finished: number[]
  /** Attempts that were not durable. None of their changes had reached the disk; their temporary files were removed. */
  readonly rolledBack: string[]
  /**
   * Paths of finished commits at which another program's version was found and kept. `kept` is the path of the commit's own version,
   * relative to the root, which exists as long as the commit can be undone. Absent for a removal.
   */
  readonly left: { seq: number; path: string; reason: string; kept?: string }[]
  /** Problems with git commits that were finished, with instructions. Absent if there are none. */
  readonly warnings?: readonly string[]
}

/** The result of a commit. */
export interface CommitResult {
  /** The `tx` of the commit record; '' if nothing was approved. */
  readonly id: string
  /** The commit's number in the workspace, from 1; 0 if nothing was approved. */
  readonly seq: number
  /** The committed paths. */
  readonly committed: string[]
  /** Paths that another program saved while the commit was applied. That version was kept. */
  readonly conflicts: { path: string; reason: string }[]
  /**
   * Changes that stay staged although a reviewer may expect them to be committed: `stale_file` for drift or a conflict,
   * `needs_approval` for a new merge or a change after the approval. Absent if there are none.
   */
  readonly left?: readonly Refusal[]
  /** The git commits, if any were asked for. */
  readonly git?: GitCommitResult
  /** Acceptance sentences that nobody had ticked: see {@link Review.checklist}. Absent if there are none. */
  readonly unticked?: readonly { readonly intentId: string; readonly criterion: string }[]
  /** Failures after the commit, such as an `intent_map.md` that cannot be written, with instructions. */
  readonly warnings?: readonly string[]
}
