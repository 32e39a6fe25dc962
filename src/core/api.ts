// Long because: it is documentation of the whole public API, which readers find in one place.

/** The types of the public API. Other rooms implement them; `src/index.ts` exports them. */

import type { EscrowError, Refusal } from './api-error.js'
import type { ChangeSet } from './change-api.js'
import type { CheckedSelection, CheckOptions, CheckReport } from './check-api.js'
import type { ChecklistItem } from './checklist-api.js'
import type { CommitOptions, CommitResult, Recovery } from './commit-api.js'
import type { RuleWord } from './decision.js'
import type { Commands, Quarantine } from './exec-api.js'
import type { Intent, IntentContext, IntentRegistry } from './intent.js'
import type { Ledger } from './ledger-api.js'
import type { AgentInfo, Reviewer } from './people.js'
import type { Answer, Question } from './question.js'
import type { ReleaseDecision, ReleaseOptions, ReleaseReport, ReleaseRule } from './release-api.js'
import type { ChangesOf, Snapshot, Travelled } from './snapshot-api.js'
import type { GateSettings, ToolCall } from './tool-call.js'
import type { TrustReport } from './trust-api.js'
import type { WorkspaceNews } from './workspace-api.js'

export type { Change, ChangeGroup, ChangeKind, ChangeSet, ChangeState, Hunk } from './change-api.js'
export type {
  CheckEvidence,
  CheckedSelection,
  CheckOptions,
  CheckReport,
  CheckState,
  CheckStatus,
  IntentCheck,
} from './check-api.js'
export type { ChecklistItem } from './checklist-api.js'
export type { CommandClass } from './command-class.js'
export type {
  ClaimOverlap,
  Intent,
  IntentChanges,
  IntentContext,
  IntentRegistry,
  IntentStatus,
  IntentTemplate,
  IntentVersion,
  NewIntent,
} from './intent.js'
export type { Measured, Mutation, MutationClass } from './mutation.js'
export type { AgentInfo, Reviewer } from './people.js'
export type {
  AccessQuestion,
  Answer,
  AnswerWord,
  Approver,
  CommandQuestion,
  Question,
  ScopeQuestion,
  ScopeReach,
} from './question.js'
export type { Risk, RiskFact, RiskSeverity } from './risk-api.js'
export type { ChangesOf, Snapshot, Travelled } from './snapshot-api.js'
export type { GatedCall, GateSettings, PlannedWrite, ToolCall } from './tool-call.js'
export type { TrustChange, TrustEffect, TrustReport } from './trust-api.js'

/**
 * Selects staged changes. A string is a path or a glob, relative to the root. `hunks` are ids of {@link Hunk}s. `calls` are ids of
 * tool calls: each selects the changes that it wrote. A change that an unselected call also wrote is refused.
 */
export type Selection = string | string[] | { paths?: string[]; hunks?: string[]; calls?: string[] }

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
  /** For an approval of everything: the changes left out because they have drifted or hold a conflict. Absent if there are none. */
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
  readonly classes?: 'measured' | 'known'
  /** Also finds the risk facts of each change: see {@link Change.risk}. This takes longer, because code is parsed. */
  readonly risk?: boolean
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
   * Approves the selected changes or, without a selection, every change that nobody has rejected.
   * Rejects with `nothing_selected`; with `stale_file` for a change that has drifted, holds a conflict, or differs from the one
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
  /** Removes the selected changes, or all, from the stage. Does not change the disk. Rejects with `nothing_selected`, `stale_file`. */
  discard(selection?: Selection): Promise<void>
  /**
   * Returns the content of a changed file: staged (`after`), or its base (`before`). The base of a moved file is at its old path.
   * The content of a link is its target. Undefined before a creation, after a deletion, and for a path without a change.
   */
  content(path: string, side: 'before' | 'after'): Promise<Uint8Array | undefined>
  /**
   * Runs the checks of the selected changes' intents, contained, on the disk with those changes, and records the evidence. An agent
   * may also call it. Rejects with `nothing_selected` (no change is selected), `stale_file` (a change has drifted), `unsupported`
   * (commands cannot be contained on this machine), and with the reason of `signal`.
   */
  check(options?: CheckOptions): Promise<CheckReport>
  /**
   * Approves what policy releases without a person (`approval.auto`), runs the checks that its tiers need, and commits if everything
   * that is approved was approved by rule and no tier holds it. If a check fails, the approvals are withdrawn. Whatever is in doubt
   * stays pending, with the reasons. Rejects as {@link commit} does.
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

/** A message for the agent between its calls: a rejection, an edit, a discard, an answer, a failed formatter. */
export interface Feedback {
  readonly path?: string
  /** The lines of the staged file that it is about, counted from 1. */
  readonly lines?: readonly [first: number, last: number][]
  /** `rejected`, `withdrawn`, `amended`, `merged`, `reverted`, `granted`, `refused`, … */
  readonly kind: string
  readonly reason: string
  readonly by?: Reviewer
}

/** An agent's request for more paths in its intent's scope. */
export interface ScopeRequest {
  readonly id: string
  readonly globs: string[]
  readonly why: string
}

export type {
  CommandOutput,
  CommandResult,
  Commands,
  ExecOptions,
  ExecResult,
  Ingested,
  Quarantine,
  Quarantined,
  RunningCommand,
  RunOptions,
  StartOptions,
} from './exec-api.js'

/** A session as `escrow status` lists it. */
export interface SessionSummary {
  readonly id: string
  /** Whether a process owns it now. */
  readonly live: boolean
  readonly agent?: AgentInfo
  /** The number of staged paths. */
  readonly changes: number
  /** The ids of the intents of its staged changes. */
  readonly intents?: readonly string[]
  /** Why its stage cannot be read; `changes` is 0 then. */
  readonly damaged?: string
}

/** The session to open, and its agent. */
export interface SessionOptions {
  /** Letters, digits, `-`, `_` and `.`, at most 100 characters. An existing session continues with its staged changes. */
  readonly id: string
  readonly agent?: AgentInfo
}

/** Policy's verdict on one access, rule by rule. */
export interface Explanation {
  readonly path: string
  readonly verdict: 'allow' | 'stage' | 'deny'
  readonly reason?: string
  readonly message?: string
  readonly rules: readonly RuleWord[]
}

/**
 * The agent's side: a `node:fs` whose writes are staged, its intent, its commands and its snapshots. It cannot
 * approve or commit.
 */
export interface Session extends Commands {
  readonly id: string
  readonly fs: typeof import('node:fs')
  readonly intent: Intent | undefined
  /** The agent, if it is known. */
  readonly agent: AgentInfo | undefined
  readonly gate: GateSettings
  /**
   * Sets the agent of the current tool call and of later edits, for hosts that learn it only after the work has begun. Fields are
   * merged with earlier ones of the same tool. A different tool replaces all fields.
   */
  attribute(agent: AgentInfo): void
  /** Returns the intents that can be selected now. */
  intents(): Promise<Intent[]>
  /**
   * Selects the intent to work under; null clears it.
   * Rejects with `unknown_intent`, `intent_not_active`, `intent_ignored`, `claimed`, `policy_invalid`.
   */
  selectIntent(id: string | null): Promise<IntentContext>
  /** Asks people to add globs to the active intent's scope. Rejects with `missing_intent_id`, `nothing_selected`, `policy_invalid`. */
  requestScope(globs: string[], why: string): Promise<ScopeRequest>
  /**
   * Appends a lesson to the lessons file. The change is staged, unless policy allows it directly on disk.
   * Rejects with `nothing_selected` (empty), `limit_exceeded` (16 KiB), `policy_invalid`, `protected_path`.
   */
  recordLesson(lesson: string, context?: string): Promise<void>
  /**
   * Returns the staged changes. With `of`, returns the difference between two states of the stage, including committed changes, all
   * of it as pending. Rejects with `nothing_selected` for an unknown snapshot or call.
   */
  changes(of?: ChangesOf): Promise<ChangeSet>
  /**
   * Removes staged changes at and below the paths, or all of them. If a reviewer edited one of the files and the agent has not read
   * it since, the first attempt rejects with `stale_file`. {@link feedback} lists reviewers' edits that were lost.
   */
  revert(paths?: string[]): Promise<void>
  /** Returns the undelivered feedback and marks it as delivered. */
  feedback(): Promise<Feedback[]>
  /** Saves the state of the stage. */
  snapshot(name?: string): Promise<Snapshot>
  /** Returns the snapshots, oldest first: one from before each tool call, named ones, and one from before each travel. */
  snapshots(): Promise<Snapshot[]>
  /**
   * Returns the content of a file in a snapshot. A file that is not in the snapshot is read from the disk. Rejects with
   * `nothing_selected` for an unknown id or if there is no file, and with the denial's reason if policy denies reading the file.
   */
  readSnapshot(id: string, path: string): Promise<Buffer>
  /** Deletes a snapshot. The stage is not changed. Rejects with `nothing_selected` for an unknown id. */
  dropSnapshot(id: string): Promise<void>
  /** Restores a snapshot, after saving the present stage as another one. Rejects with `nothing_selected` for an unknown id. */
  travel(id: string): Promise<Travelled>
  /** Returns the verdict of each rule on an access. Performs and records nothing. */
  explain(path: string, op: 'read' | 'write' | 'remove'): Promise<Explanation>
  /**
   * Runs `run` as one tool call, after policy has judged the announced writes. `fs` calls in `run` are attributed to the call. When
   * it resolves, the stage is on disk; ledger records follow in the background.
   * Rejects as `run` does, or with an fs error that has a `denial` (see `denialOf`).
   */
  toolCall<T>(call: ToolCall, run: () => Promise<T> | T): Promise<T>
  /**
   * Runs the checks of intents on everything that is staged, as {@link Review.check} does. The evidence says that this session asked.
   * Rejects as that does; closing the session stops it.
   */
  check(options?: Pick<CheckOptions, 'selection' | 'signal' | 'onStart' | 'onOutput'>): Promise<CheckReport>
  /** Writes the stage and all pending ledger records to disk. */
  flush(): Promise<void>
  /** Ends running commands, flushes, clears the intent and releases the session. Staged changes stay. */
  close(): Promise<void>
}

/** A governed directory: its intents, sessions, reviews and ledger. */
export interface Workspace {
  /** Absolute, without symbolic links. */
  readonly root: string
  readonly intents: IntentRegistry
  readonly ledger: Ledger
  /** Opens a session, or returns the open one. Rejects with `path_escape` (a malformed id), `session_busy` (another process owns it). */
  session(options: SessionOptions): Promise<Session>
  /** Returns all sessions of the workspace. */
  sessions(): Promise<SessionSummary[]>
  /** Opens a session's review, even if another process owns the session. Rejects with `nothing_selected` for an unknown id. */
  review(sessionId: string): Promise<Review>
  /**
   * Stages the inverse of commits in a new session, and returns its review. Paths that have changed on disk since are flagged
   * `drifted`. Nothing reaches the disk before it is approved and committed.
   * Rejects with `undo_expired` once a commit's old contents are pruned (`limits.undo_commits` in policy.yaml, default 100
   * commits). Rejects with `stale_file`, with the paths in `refused`, and stages nothing if another file is in the way or a commit
   * between the given ones changed the same path.
   * @param commits ids or numbers
   */
  undo(commits: string | readonly string[]): Promise<Review>
  /** Returns the changes that {@link undo} would stage. Rejects as it does. */
  previewUndo(commits: string | readonly string[]): Promise<ChangeSet>
  /**
   * Decides on the changes of a git commit as {@link Review.release} would, and does nothing. Rejects with `unsupported` if there is no
   * such commit.
   * @param commit anything that names a git commit, compared with its first parent
   */
  testRelease(commit: string): Promise<ReleaseDecision[]>
  /**
   * Finishes or rolls back interrupted commits. Opening the workspace and each commit do the same. Idempotent.
   * @returns everything that was recovered since the workspace was opened
   */
  recover(): Promise<Recovery>
  /**
   * Rebuilds `.orchestration/intent_map.md` from the ledger and the files, and returns its text. Keeps the notes between its
   * markers. Commits also update the file. Rejects with `no_orchestration`; with `unsupported` if escrowfs did not write the file.
   */
  mapIntents(): Promise<string>
  /** Returns the error in `policy.yaml` with its position, or undefined. While there is an error, all writes are refused. */
  policyProblem(): Promise<string | undefined>
  /** Compares policy, intents, templates and `.intentignore` with the versions that a person has accepted on this machine. */
  trust(): Promise<TrustReport>
  /**
   * Accepts the present content of these files on this machine. Rejects with `stale_file` if they have changed since the report,
   * with `access_denied` in an agent's session, and with `policy_invalid` for a file that cannot be read.
   * @param digest the digest of the {@link TrustReport} that the person has seen
   */
  accept(digest: string, by?: Reviewer): Promise<void>
  /**
   * Calls `onChange` within a second of a change of sessions, ledger, intents or policy by any process. It gets the changed areas,
   * not the changes. A watch never keeps the process alive.
   * @returns a function that ends the watch; closing the workspace also ends it
   */
  watch(onChange: (news: WorkspaceNews) => void): () => void
  /** Closes all sessions that this workspace object opened. Rejects with the first error of closing one. */
  close(): Promise<void>
}

export type {
  CommitOptions,
  CommitProgress,
  CommitResult,
  GitCommitOptions,
  GitCommitPer,
  GitCommitResult,
  Recovery,
} from './commit-api.js'
export type {
  AbsentRecords,
  BlameLine,
  Ledger,
  LedgerHead,
  LedgerStats,
  LineCounts,
  RecordRange,
  SigningKey,
  TraceRecord,
  UnanchoredRecords,
  VerifyOptions,
  VerifyResult,
} from './ledger-api.js'
export type {
  ReleaseClass,
  ReleaseDecision,
  ReleaseOptions,
  ReleaseReport,
  ReleaseRequirement,
  ReleaseRule,
  ReleaseRules,
  ReleaseTier,
} from './release-api.js'
export type { Durability, WorkspaceNews, WorkspaceOptions } from './workspace-api.js'
export type { EscrowError, Refusal }
