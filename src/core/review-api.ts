/** The types of a review in the public API. */

import type { Refusal } from './api-error.js'
import type { ChangeSet } from './change-api.js'
import type { CheckedSelection, CheckOptions, CheckReport } from './check-api.js'
import type { ChecklistItem } from './checklist-api.js'
import type { CommitOptions, CommitResult, GitCommitPer, Patch } from './commit-api.js'
import type { Quarantine } from './exec-api.js'
import type { Reviewer } from './people.js'
import type { Answer, Question } from './question.js'
import type { ReleaseOptions, ReleaseReport, ReleaseRule } from './release-api.js'
import type { Snapshot } from './snapshot-api.js'

/**
 * Selects staged changes. A string is a path or a glob, relative to the root. `hunks` are ids of {@link Hunk}s. `calls` are ids of
 * tool calls: each selects the changes that it wrote. A change that an unselected call also wrote is refused.
 */
export type Selection =
  | string
  | string[]
  | { paths?: string[] | undefined; hunks?: string[] | undefined; calls?: string[] | undefined }

/** A reviewer's decision, bound to the content that was shown. */
export interface Verdict {
  readonly id: string
  /** `withdrawn`: earlier verdicts are cancelled; the paths are pending again. */
  readonly verdict: 'approved' | 'rejected' | 'withdrawn'
  /** The paths that it applies to. */
  readonly paths: string[]
  /** The ids of the hunks that it applies to, if it names hunks. */
  readonly hunks?: string[]
  readonly reason?: string
  /** The rule that gave an approval in place of a person. */
  readonly rule?: ReleaseRule
  /**
   * For an approval of everything: the changes left out because they have drifted or contain a conflict. Absent if
   * there are none.
   */
  readonly left?: readonly Refusal[]
  readonly by: Reviewer
  /** ISO 8601. */
  readonly at: string
}

/** How to read the changes of a review. */
export interface ChangesOptions {
  /**
   * `known` gives a change its class only if that is known or the agent declared one, so that a screen appears sooner. The other
   * classes are measured in the background, and {@link Workspace.watch} reports when they are known.
   */
  readonly classes?: 'measured' | 'known' | undefined
  /** Also finds the risk facts of each change: see {@link Change.risk}. This takes longer, because code is parsed. */
  readonly risk?: boolean | undefined
}

/** Where approved changes were put without a commit of this machine: a git branch and the id of its commit. */
export interface LandedAt {
  readonly branch: string
  readonly commit: string
}

/**
 * A person's review of one session: its staged changes, verdicts on them, and the commit. Inside an agent's session, every
 * method that decides rejects with `access_denied`. Verdicts apply to the changes that {@link changes} last returned.
 */
export interface Review extends Quarantine {
  readonly sessionId: string
  /**
   * Returns the currently staged changes, with diffs against the disk, states and flags.
   * @param options by default, the classes of changes are measured first, within a budget of about a second
   */
  changes(options?: ChangesOptions): Promise<ChangeSet>
  /**
   * Approves the selected changes or, without a selection, every change that nobody has rejected. Rejects with
   * `nothing_selected`; with `stale_file` for a change that has drifted, contains a conflict, or differs from the one
   * shown; with `unsupported` for hunks of a rename that is not approved.
   * @param by by default the git user of this repository
   */
  approve(selection?: Selection, by?: Reviewer): Promise<Verdict>
  /**
   * Rejects the selected changes. They stay staged, and the agent gets the reason.
   * Rejects with `nothing_selected`, `stale_file`.
   */
  reject(selection: Selection, reason: string, by?: Reviewer): Promise<Verdict>
  /**
   * Cancels earlier verdicts: the changes are pending again. The agent gets feedback if it had received a rejection. If there is no
   * verdict to cancel, records nothing and returns the id ''. Rejects with `nothing_selected`, `stale_file`.
   */
  withdraw(selection: Selection, by?: Reviewer): Promise<Verdict>
  /**
   * Splits a hunk at its unchanged lines, for all reviewers. Each piece is a hunk with its own id and the state of the original.
   * @returns the ids of the pieces, in order
   * Rejects with `nothing_selected` (no such hunk), `unsupported` (no unchanged line between its changes), `stale_file`.
   */
  split(hunk: string, by?: Reviewer): Promise<string[]>
  /**
   * Replaces a staged file's content. The ledger credits the edit to the reviewer. The edit still needs approval, and concurrent
   * writes of the agent are merged with it. Rejects with `nothing_selected`, `unsupported` (no file is staged there), `stale_file`.
   */
  edit(path: string, content: Uint8Array | string, by?: Reviewer): Promise<void>
  /**
   * Writes the approved changes to the disk, all or none, and records them in the ledger.
   * Rejects with an {@link EscrowError} whose `refused` names each path that could not be committed.
   */
  commit(options?: CommitOptions): Promise<CommitResult>
  /**
   * Records in the ledger that approved changes are on a git branch, where the landing queue of a hub put them. The disk and the stage stay
   * as they are: a `git pull` brings the changes. Records only changes that are still staged and wholly approved, once for each commit.
   * @param paths of the changes
   * @returns the recorded paths
   */
  recordLanded(paths: readonly string[], at: LandedAt): Promise<string[]>
  /** Removes the selected changes, or all, from the stage. Does not change the disk. Rejects with `nothing_selected`, `stale_file`. */
  discard(selection?: Selection): Promise<void>
  /**
   * Returns the content of a changed file: staged (`after`), or its base (`before`). The base of a moved file is at its old path.
   * The content of a link is its target. Undefined before a creation, after a deletion, and for a path without a change.
   */
  content(path: string, side: 'before' | 'after'): Promise<Uint8Array | undefined>
  /**
   * Formats all staged changes as a series of patches, whatever their verdicts, for somebody without escrowfs. Paths
   * are relative to the top of the git repository, or to the root if it is in none. Rejects with `nothing_selected` if
   * nothing is staged, and with `unsupported` if git is not installed.
   * @param per the unit of one patch, as in {@link GitCommitOptions}: by default each git commit of the agent's, or
   *   each intent if it made none
   */
  patches(per?: GitCommitPer): Promise<Patch[]>
  /**
   * Runs the checks of the selected changes' intents, contained, on the disk with those changes, and records the evidence. An agent
   * may also call it. Rejects with `nothing_selected` (no change is selected), `stale_file` (a change has drifted), `unsupported`
   * (commands cannot be contained on this machine), and with the reason of `signal`.
   */
  check(options?: CheckOptions): Promise<CheckReport>
  /**
   * Approves what policy releases without a person (`approval.auto`), runs the checks that its tiers need, and commits
   * if every approved change was approved by rule and no tier delays the commit. If a check fails, the approvals are
   * withdrawn. Every other change stays pending, with the reasons. Rejects as {@link commit} does.
   */
  release(options?: ReleaseOptions): Promise<ReleaseReport>
  /** Returns the checks that apply now, each with its newest evidence. Runs none. @param selection as in {@link CheckOptions} */
  checks(selection?: CheckedSelection): Promise<CheckReport>
  /**
   * Returns the acceptance sentences of the intents that the approved changes are for, or all changes if none is approved. Rejects
   * with `policy_invalid` if the intents cannot be read.
   */
  checklist(): Promise<ChecklistItem[]>
  /**
   * Ticks an acceptance sentence of an intent that staged changes are for, or clears its tick. A tick counts for exactly this text,
   * until a commit has recorded it. Rejects with `nothing_selected` if there is no such sentence.
   * @param ticked true by default
   * @param by by default the git user of this repository
   */
  tick(intentId: string, criterion: string, ticked?: boolean, by?: Reviewer): Promise<void>
  /** Returns the session's snapshots, oldest first. */
  snapshots(): Promise<Snapshot[]>
  /** Returns the session's unanswered questions, oldest first. */
  questions(): Promise<Question[]>
  /** Answers a question. Rejects with `nothing_selected` (no such open question), `unsupported` (an answer that does not fit it). */
  answer(questionId: string, answer: Answer): Promise<void>
}
