/** The types of an agent's session in the public API. */

import type { ChangeSet } from './change-api.js'
import type { CheckOptions, CheckReport } from './check-api.js'
import type { RuleWord } from './decision.js'
import type { Commands } from './exec-api.js'
import type { Intent, IntentContext } from './intent.js'
import type { AgentInfo, Reviewer } from './people.js'
import type { ChangesOf, Snapshot, Travelled } from './snapshot-api.js'
import type { GateSettings, ToolCall } from './tool-call.js'

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
  readonly agent?: { readonly [K in keyof AgentInfo]: AgentInfo[K] | undefined } | undefined
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
  /** Closes it at the end of a block: `await using session = await workspace.session({})`. */
  [Symbol.asyncDispose](): Promise<void>
}
