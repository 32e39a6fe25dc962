/** Intents: what a person declared that an agent may work on. */

import type { IntentCheck } from './check-api.js'
import type { Reviewer } from './people.js'

/** Where an intent stands. DRAFT, PENDING and IN_PROGRESS can be selected. */
export type IntentStatus = 'DRAFT' | 'PENDING' | 'IN_PROGRESS' | 'BLOCKED' | 'COMPLETED' | 'ARCHIVED'

/** A piece of work a person declared: what it may touch, and what it must keep. */
export interface Intent {
  readonly id: string
  readonly name: string
  readonly status: IntentStatus
  /** Globs relative to the root; `!` takes away. Empty = nothing. */
  readonly ownedScope: readonly string[]
  /**
   * A second scope that a path must be in as well, where the file says another one than a person has accepted on this
   * machine.
   */
  readonly alsoWithin?: readonly string[]
  readonly constraints: readonly string[]
  /** The criteria that are sentences. */
  readonly acceptanceCriteria: readonly string[]
  /** The criteria that are commands. */
  readonly checks: readonly IntentCheck[]
  readonly dependsOn: readonly string[]
  readonly createdAt?: string
  readonly updatedAt?: string
}

/** What a model is told when it selects an intent. */
export interface IntentContext {
  readonly intent: Intent | undefined
  /** The line `Active intent set to …` and the `<intent_context>` the model reads; when cleared, one line saying so. */
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

/** An intent to be declared. What is not given comes from the template, and without one is empty. */
export interface NewIntent {
  /** Without one, the next free number: `INT-004` after `INT-003`. */
  readonly id?: string
  readonly name: string
  /** The name of a template, see {@link IntentRegistry.templates}. */
  readonly from?: string
  /** PENDING unless told. */
  readonly status?: IntentStatus
  readonly ownedScope?: readonly string[]
  readonly constraints?: readonly string[]
  readonly acceptanceCriteria?: readonly string[]
  readonly checks?: readonly IntentCheck[]
  readonly dependsOn?: readonly string[]
}

/** What is to change in an intent; what is not named stays. */
export interface IntentChanges {
  readonly name?: string
  readonly status?: IntentStatus
  /** Globs. */
  readonly addScope?: readonly string[]
  /** Globs, as the file spells them. */
  readonly removeScope?: readonly string[]
  /** In place of those there are. */
  readonly constraints?: readonly string[]
  readonly acceptanceCriteria?: readonly string[]
  readonly checks?: readonly IntentCheck[]
  readonly dependsOn?: readonly string[]
}

/** What intents of one kind have in common. */
export interface IntentTemplate {
  readonly name: string
  readonly summary: string
  /** `built-in`, or its file, relative to the root. */
  readonly source: string
  readonly ownedScope: readonly string[]
  readonly constraints: readonly string[]
  readonly acceptanceCriteria: readonly string[]
  readonly checks: readonly IntentCheck[]
}

/** The intents of a workspace, and a person's edits of them. */
export interface IntentRegistry {
  list(): Promise<Intent[]>
  get(id: string): Promise<Intent | undefined>
  /** The intent that the file names as active: sessions that select none work for it. Undefined where it names none. */
  active(): Promise<Intent | undefined>
  /**
   * A person's edits of the file; comments and order are kept, and the ledger holds who made them and why, as far as they
   * are of scope or status. Each rejects with `unknown_intent` for a wrong id, with `policy_invalid` for what the file
   * cannot hold, and with `no_orchestration` where there is no file.
   */
  /** Makes an intent the file's active one, and starts it. Rejects with `intent_not_active` for one that cannot be selected. */
  select(id: string, by?: Reviewer, why?: string): Promise<Intent>
  /** The file names no intent as active any more. */
  deselect(by?: Reviewer, why?: string): Promise<void>
  complete(id: string, by?: Reviewer, why?: string): Promise<Intent>
  expandScope(id: string, globs: string[], by?: Reviewer, why?: string): Promise<Intent>
  /** Rejects with `nothing_selected` for an unknown template, and for an id that is taken. */
  add(intent: NewIntent, by?: Reviewer, why?: string): Promise<Intent>
  /** Rejects with `nothing_selected` for a glob to be removed that is not there. */
  edit(id: string, changes: IntentChanges, by?: Reviewer, why?: string): Promise<Intent>
  /**
   * Gives the file's text to `edit` and puts what it answers in its place, if it can be read and nobody else has changed
   * the file meanwhile (`stale_file`).
   */
  editFile(edit: (text: string) => Promise<string>, by?: Reviewer, why?: string): Promise<Intent[]>
  /** Those of `.orchestration/templates/*.yaml`, then the built-in ones that have no namesake there. */
  templates(): Promise<IntentTemplate[]>
  /** The changes of an intent's status and scope, oldest first; one made by hand counts from when it was noticed. */
  history(id: string): Promise<IntentVersion[]>
}

/** One change of an intent. */
export interface IntentVersion {
  /** ISO 8601. */
  readonly at: string
  /** With it the intent was declared. */
  readonly created?: true
  /** With it the intent was taken out of the file. */
  readonly deleted?: true
  readonly status?: { readonly from: string; readonly to: string }
  /** Globs added to the scope. */
  readonly added?: string[]
  /** Globs taken out of the scope. */
  readonly removed?: string[]
  /** The person's name. */
  readonly by?: string
  /** The file was edited by other means: nobody knows by whom. */
  readonly byHand?: true
  /** The session that selected the intent, or asked for the scope. */
  readonly session?: string
  readonly why?: string
}
