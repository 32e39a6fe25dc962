/** Checks: commands that show whether the work of an intent is done, and the evidence of their runs. */

import type { Reviewer } from './people.js'

/** A command among the acceptance criteria of an intent. It runs only as a person has accepted it on this machine. */
export interface IntentCheck {
  /** A line for the shell. It starts in the root of the workspace. */
  readonly run: string
  /** Globs. The check applies where one of the selected changes matches; absent: to every selection. */
  readonly paths?: readonly string[]
  /** Seconds after which it is stopped and counts as failed; 600 by default. */
  readonly timeout?: number
  /** Hosts that it may reach, as in {@link StartOptions.hosts}; none by default. */
  readonly network?: readonly string[]
}

/** Which staged changes a check sees: what a commit would write now, or everything that is staged. */
export type CheckedSelection = 'approved' | 'all'

/** How to run checks. */
export interface CheckOptions {
  /** By default the approved changes, and everything where nothing is approved. */
  readonly selection?: CheckedSelection
  /** The agent's session that asked for the run. By default a person asked. */
  readonly agent?: string
  /** The person who asked; by default the user of git in this repository. */
  readonly by?: Reviewer
  /** Stops the running check. It leaves no evidence. */
  readonly signal?: AbortSignal
  /** Called before each check. */
  readonly onStart?: (check: IntentCheck, intentId: string) => void
  /** Called with output as it comes. It is not masked. */
  readonly onOutput?: (chunk: Uint8Array, stream: 'stdout' | 'stderr') => void
}

/** What one run of a check showed. Only the process that ran it writes it. */
export interface CheckEvidence {
  readonly id: string
  readonly intentId: string
  readonly check: IntentCheck
  /** Null where the command was stopped. */
  readonly exitCode: number | null
  /** Why it was stopped. */
  readonly ended?: 'timeout' | 'processes' | 'memory'
  /** Milliseconds. */
  readonly duration: number
  /** The first and the last part of both streams, secrets masked. */
  readonly output: string
  /** The middle of the output was dropped. */
  readonly truncated?: true
  /** The digest of the changes and bases that the command ran on. */
  readonly tree: string
  /** `none`: it ran on a copy, without containment. */
  readonly isolation: 'sandbox' | 'none'
  /** Programs that the command names, with the version that they report. */
  readonly tools: Readonly<Record<string, string>>
  /** When it ended, ISO 8601. */
  readonly at: string
  readonly askedBy: { readonly person: Reviewer } | { readonly session: string }
}

/** `stale`: there is evidence, but a change, a base or the command is another one now. */
export type CheckState = 'passed' | 'failed' | 'stale' | 'not run'

/** A check that applies to a selection, and what is known about it. */
export interface CheckStatus {
  readonly intentId: string
  readonly check: IntentCheck
  readonly state: CheckState
  /** The newest evidence for these bytes; where it is stale, the newest for others. */
  readonly evidence?: CheckEvidence
}

/** The checks of a selection. */
export interface CheckReport {
  readonly selection: CheckedSelection
  /** The digest of the selected changes and their bases. */
  readonly tree: string
  readonly checks: readonly CheckStatus[]
}
