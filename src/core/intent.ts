/** Intents: what a person declared that an agent may work on. */

import type { Reviewer } from './api.js'

export type IntentStatus = 'DRAFT' | 'PENDING' | 'IN_PROGRESS' | 'BLOCKED' | 'COMPLETED' | 'ARCHIVED'

export interface Intent {
  readonly id: string
  readonly name: string
  readonly status: IntentStatus
  /** Globs relative to the root; `!` takes away. Empty = nothing. */
  readonly ownedScope: readonly string[]
  readonly constraints: readonly string[]
  readonly acceptanceCriteria: readonly string[]
  readonly dependsOn: readonly string[]
  readonly createdAt?: string
  readonly updatedAt?: string
}

/** What a model is told when it selects an intent. */
export interface IntentContext {
  readonly intent: Intent | undefined
  /** The line `Active intent set to …` and the XML of DESIGN §6; when cleared, one line saying so. */
  readonly xml: string
  /** Other sessions that hold part of its scope now, where there are any. */
  readonly overlaps?: readonly ClaimOverlap[]
}

/** A living session under an intent whose scope takes in a path that this one's takes in too. */
export interface ClaimOverlap {
  readonly session: string
  readonly intentId: string
  /** One such path. */
  readonly path: string
}

export interface IntentRegistry {
  list(): Promise<Intent[]>
  get(id: string): Promise<Intent | undefined>
  /**
   * A person's edits of the file; comments and order are kept, and the ledger holds who made them and why. Each rejects
   * with `unknown_intent` for a wrong id.
   */
  select(id: string, by?: Reviewer, why?: string): Promise<Intent>
  complete(id: string, by?: Reviewer, why?: string): Promise<Intent>
  expandScope(id: string, globs: string[], by?: Reviewer, why?: string): Promise<Intent>
  /** The changes of an intent's status and scope that the ledger holds, oldest first. Edits by hand are not among them. */
  history(id: string): Promise<IntentVersion[]>
}

/** One change of an intent. */
export interface IntentVersion {
  /** ISO 8601. */
  readonly at: string
  readonly status?: { readonly from: string; readonly to: string }
  /** Globs added to the scope. */
  readonly added?: string[]
  /** The person's name. */
  readonly by?: string
  /** The session that selected the intent, or asked for the scope. */
  readonly session?: string
  readonly why?: string
}
