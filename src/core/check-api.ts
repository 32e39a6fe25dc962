/** The types of checks in the public API: commands that show whether an intent's work is done, and the evidence of their runs. */

import type { Reviewer } from './people.js'

/** A command among the acceptance criteria of an intent. Only the version that a person has accepted on this machine runs. */
export interface IntentCheck {
  /** A shell command line. It runs in the root of the workspace. */
  readonly run: string
  /** Globs. The check applies if one of the selected changes matches; without globs it applies to every selection. */
  readonly paths?: readonly string[]
  /** Seconds after which it is stopped and counts as failed; 600 by default. */
  readonly timeout?: number
  /** Hosts that it may reach, as in {@link StartOptions.hosts}; none by default. */
  readonly network?: readonly string[]
}

/** The staged changes that a check sees: those that a commit would write now, or all. */
export type CheckedSelection = 'approved' | 'all'

/** Options for running checks. */
export interface CheckOptions {
  /** By default the approved changes, or all changes if none is approved. */
  readonly selection?: CheckedSelection | undefined
  /** The id of the agent's session that asked for the run. By default a person asked. */
  readonly agent?: string | undefined
  /** The person who asked; by default the git user of this repository. */
  readonly by?: Reviewer | undefined
  /** Stops the running check. It leaves no evidence. */
  readonly signal?: AbortSignal | undefined
  /** Called before each check. */
  readonly onStart?: ((check: IntentCheck, intentId: string) => void) | undefined
  /** Called with each chunk of output. Secrets in it are not masked. */
  readonly onOutput?: ((chunk: Uint8Array, stream: 'stdout' | 'stderr') => void) | undefined
}

/** The evidence of one run of a check. Only the process that ran the check writes it. */
export interface CheckEvidence {
  readonly id: string
  readonly intentId: string
  readonly check: IntentCheck
  /** Null if the command was stopped. */
  readonly exitCode: number | null
  /** The limit at which the command was stopped. Absent if it ended by itself. */
  readonly ended?: 'timeout' | 'processes' | 'memory'
  /** The duration of the run in milliseconds. */
  readonly duration: number
  /** The first and the last part of both streams, with secrets masked. */
  readonly output: string
  /** Set if the middle of the output was dropped. */
  readonly truncated?: true
  /** The digest of the changes and bases that the command ran on. */
  readonly tree: string
  /** `none`: it ran on a copy, without containment. */
  readonly isolation: 'sandbox' | 'none'
  /** The programs that the command names, with the versions that they report. */
  readonly tools: Readonly<Record<string, string>>
  /** When it ended: ISO 8601. */
  readonly at: string
  readonly askedBy: { readonly person: Reviewer } | { readonly session: string }
}

/** The state of a check. `stale`: there is evidence, but a change, a base or the command is different now. */
export type CheckState = 'passed' | 'failed' | 'stale' | 'not run'

/** A check that applies to a selection, with its state and evidence. */
export interface CheckStatus {
  readonly intentId: string
  readonly check: IntentCheck
  readonly state: CheckState
  /** The newest evidence for these bytes; if the state is `stale`, the newest for other bytes. */
  readonly evidence?: CheckEvidence
}

/** The checks of a selection. */
export interface CheckReport {
  readonly selection: CheckedSelection
  /** The digest of the selected changes and their bases; empty if no intent has checks. */
  readonly tree: string
  readonly checks: readonly CheckStatus[]
}
