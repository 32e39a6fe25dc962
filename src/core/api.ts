// Long because: it is documentation of the whole public API, which readers find in one place.

/** The types of the public API. Other rooms implement them; `src/index.ts` exports them. */

import type { EscrowError, Refusal } from './api-error.js'
import type { ChangeSet } from './change-api.js'
import type { CheckedSelection, CheckOptions, CheckReport } from './check-api.js'
import type { CommitOptions, CommitResult, Recovery } from './commit-api.js'
import type { RuleWord } from './decision.js'
import type { Commands, Quarantine } from './exec-api.js'
import type { Intent, IntentContext, IntentRegistry } from './intent.js'
import type { Ledger } from './ledger-api.js'
import type { AgentInfo, Reviewer } from './people.js'
import type { Answer, Question } from './question.js'
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
} from './question.js'
export type { Risk, RiskFact, RiskSeverity } from './risk-api.js'
export type { ChangesOf, Snapshot, Travelled } from './snapshot-api.js'
export type { GatedCall, GateSettings, PlannedWrite, ToolCall } from './tool-call.js'
export type { TrustChange, TrustEffect, TrustReport } from './trust-api.js'

/**
 * Names staged changes. A string is a path or a glob, relative to the root. `hunks` are ids of {@link Hunk}s. `calls` are ids of
 * tool calls: each names the changes that it wrote, and a change that an unnamed call wrote as well is refused.
 */
export type Selection = string | string[] | { paths?: string[]; hunks?: string[]; calls?: string[] }

/** A reviewer's decision, bound to the content that was shown. */
export interface Verdict {
  readonly id: string
  /** `withdrawn`: earlier verdicts are cancelled; the paths are pending again. */
  readonly verdict: 'approved' | 'rejected' | 'withdrawn'
  /** The paths that it applies to. */
  readonly paths: string[]
  /** The ids of the hunks that it applies to, where it names hunks. */
  readonly hunks?: string[]
  readonly reason?: string
  /** For an approval of everything: the changes left out because they have drifted or hold a conflict. Absent where there are none. */
  readonly left?: readonly Refusal[]
  readonly by: Reviewer
  /** ISO 8601. */
  readonly at: string
}

/** How to read the changes of a review. */
export interface ChangesOptions {
  /**
   * `known` gives a change its class only if that is known or the agent declared one. The others are measured in the background,
   * and {@link Workspace.watch} reports when they are known. A screen appears sooner with it.
   */
  readonly classes?: 'measured' | 'known'
  /** Also finds what is risky in each change: see {@link Change.risk}. It takes longer, because code is parsed. */
  readonly risk?: boolean
}

/**
 * A person's review of one session: its staged changes, verdicts on them, and the commit. Inside of an agent's session every
 * method that decides rejects with `access_denied`. Verdicts apply to the changes that {@link changes} returned last.
 */
export interface Review extends Quarantine {
  readonly sessionId: string
  /**
   * The staged changes now, with diffs against the disk, states and flags.
   * @param options by default, the classes of changes are measured first, up to a bound
   */
  changes(options?: ChangesOptions): Promise<ChangeSet>
  /**
   * Approves the selected changes or, without a selection, every change that nobody has rejected.
   * Rejects with `nothing_selected`; with `stale_file` for a change that has drifted, holds a conflict, or is no longer as shown;
   * with `unsupported` for hunks of a rename that is not approved.
   * @param by default: the user of git in this repository
   */
  approve(selection?: Selection, by?: Reviewer): Promise<Verdict>
  /**
   * Rejects the selected changes. They stay staged, and the agent gets the reason.
   * Rejects with `nothing_selected`, `stale_file`.
   */
  reject(selection: Selection, reason: string, by?: Reviewer): Promise<Verdict>
  /**
   * Cancels earlier verdicts: the changes are pending again. The agent is told where it had received a rejection. With no verdict
   * to cancel, nothing is recorded and the id is ''. Rejects with `nothing_selected`, `stale_file`.
   */
  withdraw(selection: Selection, by?: Reviewer): Promise<Verdict>
  /**
   * Splits a hunk at its unchanged lines, for all reviewers. Each piece is a hunk with its own id and the state of the whole.
   * @returns the ids of the pieces, in order
   * Rejects with `nothing_selected` (no such hunk), `unsupported` (no unchanged line between its changes), `stale_file`.
   */
  split(hunk: string, by?: Reviewer): Promise<string[]>
  /**
   * Replaces a staged file's content. The ledger credits the edit to the reviewer; it still needs approval, and is merged with
   * writes of the agent meanwhile. Rejects with `nothing_selected`, `unsupported` (no file is staged there), `stale_file`.
   */
  edit(path: string, content: Uint8Array | string, by?: Reviewer): Promise<void>
  /**
   * Writes the approved changes to the disk, all or none, and records them in the ledger.
   * Rejects with an {@link EscrowError} whose `refused` names each path that could not be committed.
   */
  commit(options?: CommitOptions): Promise<CommitResult>
  /** Removes the selected changes, or all of them, from the stage. The disk is not touched. Rejects with `nothing_selected`, `stale_file`. */
  discard(selection?: Selection): Promise<void>
  /**
   * The content of a changed file: staged (`after`), or its base (`before`). The base of a moved file is at its old path; the
   * content of a link is its target. Undefined before a creation, after a deletion, and for a path without a change.
   */
  content(path: string, side: 'before' | 'after'): Promise<Uint8Array | undefined>
  /**
   * Runs the checks of the intents that the selected changes are for, contained, on the disk with those changes, and records what
   * they show. An agent may ask for it. Rejects with `nothing_selected` (no change is selected), `stale_file` (a change has drifted),
   * `unsupported` (commands cannot be contained here), and with the reason of `signal`.
   */
  check(options?: CheckOptions): Promise<CheckReport>
  /** The checks that apply now, each with its newest evidence, without running any. @param selection as in {@link CheckOptions} */
  checks(selection?: CheckedSelection): Promise<CheckReport>
  /** The session's snapshots, oldest first. */
  snapshots(): Promise<Snapshot[]>
  /** The session's unanswered questions, oldest first. */
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
  /** A process owns it now. */
  readonly live: boolean
  readonly agent?: AgentInfo
  /** Staged paths. */
  readonly changes: number
  /** The ids of the intents of its staged changes. */
  readonly intents?: readonly string[]
  /** Why its stage cannot be read; `changes` is 0 then. */
  readonly damaged?: string
}

/** Which session to open, and for which agent. */
export interface SessionOptions {
  /** Letters, digits, `-`, `_` and `.`, at most 100 characters. An existing session continues with what it has staged. */
  readonly id: string
  readonly agent?: AgentInfo
}

/** The verdict of policy on one access, rule by rule. */
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
  /** The agent, as far as it is known. */
  readonly agent: AgentInfo | undefined
  readonly gate: GateSettings
  /**
   * Sets the agent of the current tool call and of later edits, for hosts that learn it only after the work has begun. Fields are
   * merged with earlier ones of the same tool; another tool replaces them.
   */
  attribute(agent: AgentInfo): void
  /** The intents that can be selected now. */
  intents(): Promise<Intent[]>
  /**
   * Selects the intent to work under; null clears it.
   * Rejects with `unknown_intent`, `intent_not_active`, `intent_ignored`, `claimed`, `policy_invalid`.
   */
  selectIntent(id: string | null): Promise<IntentContext>
  /** Asks people to add globs to the active intent's scope. Rejects with `missing_intent_id`, `nothing_selected`, `policy_invalid`. */
  requestScope(globs: string[], why: string): Promise<ScopeRequest>
  /**
   * Appends a lesson to the lessons file, staged unless policy lets it go to the disk.
   * Rejects with `nothing_selected` (empty), `limit_exceeded` (16 KiB), `policy_invalid`, `protected_path`.
   */
  recordLesson(lesson: string, context?: string): Promise<void>
  /**
   * The staged changes. With `of`: the difference between two moments of the stage, committed or not, all of it pending.
   * Rejects with `nothing_selected` for an unknown snapshot or call.
   */
  changes(of?: ChangesOf): Promise<ChangeSet>
  /**
   * Removes staged changes at and below the paths, or all of them. Rejects with `stale_file`, once, where a reviewer edited one of
   * the files and the agent has not read it since. {@link feedback} lists reviewers' edits that were lost.
   */
  revert(paths?: string[]): Promise<void>
  /** Undelivered feedback, which counts as delivered from then on. */
  feedback(): Promise<Feedback[]>
  snapshot(name?: string): Promise<Snapshot>
  /** Oldest first: one before each tool call, named ones, and one from before each travel. */
  snapshots(): Promise<Snapshot[]>
  /**
   * The content of a file in a snapshot; a file that the snapshot does not hold is read from the disk. Rejects with
   * `nothing_selected` for an unknown id or no file, and with the reason for which a read of the file would be denied.
   */
  readSnapshot(id: string, path: string): Promise<Buffer>
  /** Deletes a snapshot. The stage is not changed. Rejects with `nothing_selected` for an unknown id. */
  dropSnapshot(id: string): Promise<void>
  /** Returns the stage to a snapshot, and keeps the present stage as another. Rejects with `nothing_selected` for an unknown id. */
  travel(id: string): Promise<Travelled>
  /** The verdict of each rule on an access; nothing is done or recorded. */
  explain(path: string, op: 'read' | 'write' | 'remove'): Promise<Explanation>
  /**
   * Runs `run` as one tool call: `fs` calls in it are attributed to the call, after policy has judged the writes that it
   * announces. When it resolves, the stage is on disk; ledger records follow in the background.
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
  sessions(): Promise<SessionSummary[]>
  /** Opens a session's review, whichever process owns the session. Rejects with `nothing_selected` for an unknown id. */
  review(sessionId: string): Promise<Review>
  /**
   * Stages the inverse of commits, named by ids or numbers, in a new session, and returns its review. Paths that have changed on
   * disk since are flagged `drifted`. Nothing reaches the disk before it is approved and committed.
   * Rejects with `undo_expired` once a commit's old contents are pruned (`limits.undo_commits` in policy.yaml, default 100
   * commits). Rejects with `stale_file`, and `refused` for each path, where another file is in the way or a commit in between
   * changed a path as well; nothing is staged then.
   */
  undo(commits: string | readonly string[]): Promise<Review>
  /** The changes that {@link undo} would stage. Rejects as it does. */
  previewUndo(commits: string | readonly string[]): Promise<ChangeSet>
  /**
   * Finishes or rolls back interrupted commits, as opening the workspace and each commit do. Idempotent.
   * @returns everything that was recovered since the workspace was opened
   */
  recover(): Promise<Recovery>
  /**
   * Rebuilds `.orchestration/intent_map.md` from the ledger and the files, and returns its text. Commits keep it up to date; notes
   * between its markers stay. Rejects with `no_orchestration`; with `unsupported` where escrowfs did not write the file.
   */
  mapIntents(): Promise<string>
  /** The error in `policy.yaml`, with its position; undefined where there is none. While there is one, all writes are refused. */
  policyProblem(): Promise<string | undefined>
  /** Compares policy, intents, templates and `.intentignore` with the versions that a person accepted on this machine. */
  trust(): Promise<TrustReport>
  /**
   * Accepts these files as they are, for this machine. Rejects with `stale_file` where they have changed since the report, with
   * `access_denied` in an agent's session, and with `policy_invalid` for a file that cannot be read.
   * @param digest of the {@link TrustReport} that the person was shown
   */
  accept(digest: string, by?: Reviewer): Promise<void>
  /**
   * Calls `onChange` within a second of a change of sessions, ledger, intents or policy by any process. It says where, not what.
   * It never keeps the process alive.
   * @returns a function that ends the watch; closing the workspace does too
   */
  watch(onChange: (news: WorkspaceNews) => void): () => void
  /** Closes all sessions that were opened here. Rejects with the first error of one that could not be closed. */
  close(): Promise<void>
}

export type { CommitOptions, CommitProgress, CommitResult, Recovery } from './commit-api.js'
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
export type { Durability, WorkspaceNews, WorkspaceOptions } from './workspace-api.js'
export type { EscrowError, Refusal }
