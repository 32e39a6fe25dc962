/** The types of the public API. Other rooms implement them; `src/index.ts` exports them. */

import type { ChangeSet } from './change-api.js'
import type { Recovery } from './commit-api.js'
import type { AdoptOptions, AdoptReport, ImportReport } from './git-api.js'
import type { IntentRegistry } from './intent.js'
import type { Ledger } from './ledger-api.js'
import type { Reviewer } from './people.js'
import type { ReleaseDecision } from './release-api.js'
import type { Review } from './review-api.js'
import type { Session, SessionOptions, SessionSummary } from './session-api.js'
import type { TrustReport } from './trust-api.js'
import type { WorkspaceNews } from './workspace-api.js'

export type { EscrowError, Refusal } from './api-error.js'
export type { Change, ChangeGroup, ChangeKind, ChangeRejection, ChangeSet, ChangeState, Hunk } from './change-api.js'
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
  CommitOptions,
  CommitProgress,
  CommitResult,
  GitCommitOptions,
  GitCommitPer,
  GitCommitResult,
  Patch,
  Recovery,
} from './commit-api.js'
export type {
  CommandOutput,
  CommandResult,
  Commands,
  ExecOptions,
  ExecResult,
  Ingested,
  KeptRef,
  ProposedCommit,
  Quarantine,
  Quarantined,
  RunningCommand,
  RunOptions,
  StartOptions,
} from './exec-api.js'
export type { AdoptOptions, AdoptReport, GitHookCall, GitRewrite, ImportReport } from './git-api.js'
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
export type {
  AbsentRecords,
  BlameLine,
  Ledger,
  LedgerHead,
  LedgerStats,
  LineCounts,
  RecordRange,
  ReleasedCounts,
  ReleaseTotals,
  SigningKey,
  TraceRecord,
  UnanchoredRecords,
  VerifyOptions,
  VerifyResult,
} from './ledger-api.js'
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
export type { ChangesOptions, LandedAt, Review, Selection, Verdict } from './review-api.js'
export type { Risk, RiskFact, RiskSeverity } from './risk-api.js'
export type { Explanation, Feedback, ScopeRequest, Session, SessionOptions, SessionSummary } from './session-api.js'
export type { ChangesOf, Snapshot, Travelled } from './snapshot-api.js'
export type { GatedCall, GateSettings, PlannedWrite, ToolCall } from './tool-call.js'
export type { TrustChange, TrustEffect, TrustReport } from './trust-api.js'
export type { Durability, WorkspaceNews, WorkspaceOptions } from './workspace-api.js'

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
  /**
   * Removes a session in which nothing was ever staged, refused, asked or reviewed. Its records stay in the ledger.
   * @param options `unusedMs`: the milliseconds since a process last opened or closed it, below which it stays; 0 by default
   * @returns whether it was removed: it stays if it has anything else, or while any process holds it
   */
  removeEmptySession(id: string, options?: { readonly unusedMs?: number }): Promise<boolean>
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
   * Returns how {@link Review.release} would decide on the changes of a git commit. Approves and commits nothing.
   * Rejects with `unsupported` if there is no such commit, and with `access_denied` in an agent's session: an agent
   * must not see what would pass.
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
  /**
   * Writes git notes (`refs/notes/ai`) that name the agent and the record behind each line that git commits added. With
   * the notes, {@link Ledger.blame} still names the author after a rebase, an amend or a squash, once git has removed
   * the original commits. A repeated call changes nothing. Rejects with `unsupported` without a git repository or for a
   * name that is not a commit, and with `access_denied` in an agent's session.
   */
  adopt(options: AdoptOptions): Promise<AdoptReport>
  /**
   * Merges the notes of another ref, such as `refs/notes/origin/ai` fetched from a colleague. A commit with a note in
   * both gets the lines of both. {@link Ledger.blame} marks an author that only a note names as `imported`. Rejects as
   * {@link adopt} does.
   */
  importNotes(ref: string): Promise<ImportReport>
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
  /**
   * Closes all sessions that this workspace object opened. Rejects with the first error of closing one. The object can be used
   * further: a session that it opens afterwards has to be closed again.
   */
  close(): Promise<void>
  /** Closes it at the end of a block: `await using workspace = await openWorkspace(dir)`. */
  [Symbol.asyncDispose](): Promise<void>
}
