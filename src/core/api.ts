import type { AgentInfo, Reviewer } from './people.js'
/** The shapes of the public API. The rooms implement them; `src/index.ts` publishes them. */

import type { EscrowError, Refusal } from './api-error.js'
import type { ChangeSet } from './change-api.js'
import type { CommitOptions, CommitResult, Recovery } from './commit-api.js'
import type { RuleWord } from './decision.js'
import type { Commands, Quarantine } from './exec-api.js'
import type { Intent, IntentContext, IntentRegistry } from './intent.js'
import type { Ledger } from './ledger-api.js'
import type { Answer, Question } from './question.js'
import type { ChangesOf, Snapshot, Travelled } from './snapshot-api.js'
import type { GateSettings, ToolCall } from './tool-call.js'
import type { TrustReport } from './trust-api.js'
import type { WorkspaceNews } from './workspace-api.js'

export type { Change, ChangeGroup, ChangeKind, ChangeSet, ChangeState, Hunk } from './change-api.js'
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
export type { ChangesOf, Snapshot, Travelled } from './snapshot-api.js'
export type { GatedCall, GateSettings, PlannedWrite, ToolCall } from './tool-call.js'
export type { TrustChange, TrustEffect, TrustReport } from './trust-api.js'

/**
 * A string is a path or a glob, relative to the root. `hunks` are ids of {@link Hunk}s; `calls` are ids of tool calls:
 * each takes what it wrote, as far as no call that is not named wrote it too.
 */
export type Selection = string | string[] | { paths?: string[]; hunks?: string[]; calls?: string[] }

/** A reviewer's yes or no, bound to the bytes they were shown. */
export interface Verdict {
  readonly id: string
  /** `withdrawn`: what was said of them before counts no more, and they are pending. */
  readonly verdict: 'approved' | 'rejected' | 'withdrawn'
  /** The paths it holds for. */
  readonly paths: string[]
  /** Where it holds for single hunks of some of them: their ids. */
  readonly hunks?: string[]
  readonly reason?: string
  /** Of an approval of everything: changes it left out, each with the reason: they have drifted or hold a conflict. Absent where there are none. */
  readonly left?: readonly Refusal[]
  readonly by: Reviewer
  readonly at: string
}

/** The person's side of a session: what is staged, verdicts on it, and the way to the disk. */
export interface Review extends Quarantine {
  /** The session whose stage this is. */
  readonly sessionId: string
  changes(): Promise<ChangeSet>
  approve(selection?: Selection, by?: Reviewer): Promise<Verdict>
  reject(selection: Selection, reason: string, by?: Reviewer): Promise<Verdict>
  /**
   * Takes back what was said of these: they are pending again, and the agent hears it where it had heard a no. Of what
   * nobody has spoken nothing is recorded; the id is '' then. Rejects with `nothing_selected`, `stale_file`.
   */
  withdraw(selection: Selection, by?: Reviewer): Promise<Verdict>
  /**
   * Divides a hunk, for all who review, where unchanged lines stand within it. Each piece is a hunk of its own, with an id of
   * its own, and has the state that the whole had.
   * @returns the ids of the pieces, in order.
   * Rejects with `nothing_selected` (no such hunk), `unsupported` (it has no unchanged line within), `stale_file`.
   */
  split(hunk: string, by?: Reviewer): Promise<string[]>
  /**
   * Puts the reviewer's content in the place of a staged file's. It is theirs in the trace, needs a verdict like every other,
   * and is merged with what the agent writes meanwhile. Rejects with `nothing_selected`, `unsupported`, `stale_file`.
   */
  edit(path: string, content: Uint8Array | string, by?: Reviewer): Promise<void>
  /** Rejects with an {@link EscrowError} whose `refused` names each path that could not be taken. */
  commit(options?: CommitOptions): Promise<CommitResult>
  discard(selection?: Selection): Promise<void>
  /**
   * A changed file's content as it is staged, or as the changes are shown against; of a move, before is what stood at its
   * old name, of a link its target. Undefined where there is none: before a create, after a delete.
   */
  content(path: string, side: 'before' | 'after'): Promise<Uint8Array | undefined>
  /** The session's snapshots, oldest first, for a person to look at. */
  snapshots(): Promise<Snapshot[]>
  /** What the session asks of people and nobody has answered, in order. */
  questions(): Promise<Question[]>
  /** Rejects with `nothing_selected` (no such open question), `unsupported` (no answer to such a one). */
  answer(questionId: string, answer: Answer): Promise<void>
}

/** What an agent is told between its calls: a reviewer's no, an edit, a discard, an answer, a failed formatter. */
export interface Feedback {
  readonly path?: string
  /** Of the staged file, where it is about a part of it: the first and the last line. */
  readonly lines?: readonly [first: number, last: number][]
  readonly kind: string
  readonly reason: string
  readonly by?: Reviewer
}

/** An agent's wish for more paths in its intent's scope. */
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
  /** A process holds it now. */
  readonly live: boolean
  readonly agent?: AgentInfo
  /** Staged paths. */
  readonly changes: number
  /** The intents that was staged for, by id. */
  readonly intents?: readonly string[]
  /** Why its stage cannot be read; `changes` is 0 then. */
  readonly damaged?: string
}

/** Which session to open, and for whom. An id that is known takes up what it has staged. */
export interface SessionOptions {
  readonly id: string
  readonly agent?: AgentInfo
}

/** What policy says to one access, rule by rule. */
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
  /** Who works in it, as far as is known. */
  readonly agent: AgentInfo | undefined
  readonly gate: GateSettings
  /**
   * Says who works in it from now on, and whose tool call is under way, where that is known only once the work has begun. It adds to
   * what was said before of the same tool, and replaces what was said of another.
   */
  attribute(agent: AgentInfo): void
  /** Those it can select now. */
  intents(): Promise<Intent[]>
  selectIntent(id: string | null): Promise<IntentContext>
  requestScope(globs: string[], why: string): Promise<ScopeRequest>
  recordLesson(lesson: string, context?: string): Promise<void>
  /**
   * What is staged. With `of`: what differs between two moments of the stage, whether or not it was committed since;
   * all of it is pending. Rejects with `nothing_selected` for a snapshot or call there is none of.
   */
  changes(of?: ChangesOf): Promise<ChangeSet>
  /**
   * Drops its own staged changes. Rejects with `stale_file`, once, where a reviewer wrote into one of the files and the
   * agent does not know yet; what goes of theirs is told by {@link feedback}.
   */
  revert(paths?: string[]): Promise<void>
  feedback(): Promise<Feedback[]>
  snapshot(name?: string): Promise<Snapshot>
  /** Oldest first: one from before each tool call, those taken by name, and those left by travelling. */
  snapshots(): Promise<Snapshot[]>
  /**
   * A file as a snapshot has it; one that it leaves to the disk, as the disk has it now. Rejects with `nothing_selected` for
   * an unknown id and where there is no file, and as a read of the file would be refused.
   */
  readSnapshot(id: string, path: string): Promise<Buffer>
  /** Keeps a snapshot no more; nothing of what is staged goes. Rejects with `nothing_selected` for an unknown id. */
  dropSnapshot(id: string): Promise<void>
  /** Goes back to a snapshot; what is there now stays as another. Rejects with `nothing_selected` for an unknown id. */
  travel(id: string): Promise<Travelled>
  explain(path: string, op: 'read' | 'write' | 'remove'): Promise<Explanation>
  /** Runs a tool's work in its context. At its end the stage is on the medium; the ledger's records follow at once. */
  toolCall<T>(call: ToolCall, run: () => Promise<T> | T): Promise<T>
  flush(): Promise<void>
  close(): Promise<void>
}

/** A directory that is governed: its intents, its sessions and their reviews, its ledger. */
export interface Workspace {
  readonly root: string
  readonly intents: IntentRegistry
  readonly ledger: Ledger
  session(options: SessionOptions): Promise<Session>
  sessions(): Promise<SessionSummary[]>
  review(sessionId: string): Promise<Review>
  /**
   * Stages the inverse of one or more commits, named by their ids or numbers, in a new session, the newest first, and gives its
   * review: all of them or none. Paths where the disk has moved on since are flagged `drifted`. Nothing reaches the disk before it
   * is approved and committed.
   * Rejects with `undo_expired` once what the commit replaced is no longer kept (`limits.undo_commits` of policy.yaml,
   * 100 commits unless it says otherwise), and with `stale_file`
   * and `refused` where something of another kind stands in the way of the inverse, or a commit between two of these has changed
   * a path, too.
   */
  undo(commits: string | readonly string[]): Promise<Review>
  /** What {@link undo} would stage. Nothing of it stays. Rejects as {@link undo} does. */
  previewUndo(commits: string | readonly string[]): Promise<ChangeSet>
  /**
   * Finishes or rolls back what a crash has left, as opening the workspace and each commit do, and tells what was done
   * by this since it was opened. Doing it again changes nothing.
   */
  recover(): Promise<Recovery>
  /**
   * Writes `.orchestration/intent_map.md` anew from the ledger and the files of now, and gives its text. Commits keep it up
   * to date; a person's notes between its markers stay. Rejects with `no_orchestration`, and with `unsupported` where the file is not ours.
   */
  mapIntents(): Promise<string>
  /** What is wrong with `policy.yaml`, and where: while it is, all writes are refused. Undefined: nothing. */
  policyProblem(): Promise<string | undefined>
  /** Compares policy, intents, templates and `.intentignore` with what a person has accepted of them on this machine. */
  trust(): Promise<TrustReport>
  /**
   * Accepts these files as they are, for this machine.
   * @param digest of the {@link TrustReport} the person was shown. Rejects with `stale_file` where the files have changed
   * since, and with `access_denied` in an agent's session.
   */
  accept(digest: string, by?: Reviewer): Promise<void>
  /**
   * Tells, soon after it happened in any process, that something a person looks at has moved. It says where, not what: look
   * again. It never keeps the process alive, and ends with what it returns or with the workspace.
   */
  watch(told: (news: WorkspaceNews) => void): () => void
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
