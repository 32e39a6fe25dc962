/** The types of intents in the public API. */

import type { IntentCheck } from './check-api.js'
import type { Reviewer } from './people.js'

/** The status of an intent. DRAFT, PENDING and IN_PROGRESS can be selected. */
export type IntentStatus = 'DRAFT' | 'PENDING' | 'IN_PROGRESS' | 'BLOCKED' | 'COMPLETED' | 'ARCHIVED'

/** Work that a person has declared for agents: its scope and its constraints. */
export interface Intent {
  readonly id: string
  readonly name: string
  readonly status: IntentStatus
  /** The globs of paths that it may change, relative to the root. `!` excludes paths. An empty list includes nothing. */
  readonly ownedScope: readonly string[]
  /** A second scope that a path must also be in. Set if the scope in the file differs from the one accepted on this machine. */
  readonly alsoWithin?: readonly string[]
  readonly constraints: readonly string[]
  /** The criteria that are sentences. */
  readonly acceptanceCriteria: readonly string[]
  /** The criteria that are commands. */
  readonly checks: readonly IntentCheck[]
  /** The ids of intents that must be completed first. */
  readonly dependsOn: readonly string[]
  readonly createdAt?: string
  readonly updatedAt?: string
}

/** The result of selecting an intent. */
export interface IntentContext {
  readonly intent: Intent | undefined
  /** The text for the model: `Active intent set to …` and the `<intent_context>`; one line after the intent is cleared. */
  readonly xml: string
  /** Other running sessions whose scope overlaps with this intent's. Absent if there are none. */
  readonly overlaps?: readonly ClaimOverlap[]
}

/** Another running session whose intent's scope overlaps with this intent's. */
export interface ClaimOverlap {
  /** The id of the session. */
  readonly session: string
  readonly intentId: string
  /** A path in both scopes. */
  readonly path: string
}

/** An intent to declare. Missing lists come from the template, or are empty. */
export interface NewIntent {
  /** By default the next free number: `INT-004` after `INT-003`. */
  readonly id?: string
  readonly name: string
  /** The name of a template, see {@link IntentRegistry.templates}. */
  readonly from?: string
  /** PENDING by default. */
  readonly status?: IntentStatus
  readonly ownedScope?: readonly string[]
  readonly constraints?: readonly string[]
  readonly acceptanceCriteria?: readonly string[]
  readonly checks?: readonly IntentCheck[]
  readonly dependsOn?: readonly string[]
}

/** The changes to an intent. Absent fields stay. */
export interface IntentChanges {
  readonly name?: string
  readonly status?: IntentStatus
  /** Globs to add. */
  readonly addScope?: readonly string[]
  /** Globs to remove, exactly as in the file. */
  readonly removeScope?: readonly string[]
  /** Replaces the present constraints. */
  readonly constraints?: readonly string[]
  /** Replaces the present criteria. */
  readonly acceptanceCriteria?: readonly string[]
  readonly checks?: readonly IntentCheck[]
  /** Replaces the present dependencies. */
  readonly dependsOn?: readonly string[]
}

/** Default fields for intents of one kind. */
export interface IntentTemplate {
  readonly name: string
  readonly summary: string
  /** `built-in`, or the path of its file, relative to the root. */
  readonly source: string
  readonly ownedScope: readonly string[]
  readonly constraints: readonly string[]
  readonly acceptanceCriteria: readonly string[]
  readonly checks: readonly IntentCheck[]
}

/**
 * The intents of a workspace (`.orchestration/active_intents.yaml`), and a person's edits of them. An edit keeps the file's comments
 * and order. The ledger records each change of scope or status, with its author and reason.
 *
 * Each edit rejects with `unknown_intent` for an unknown id, with `policy_invalid` if the file would become invalid, with
 * `not_trusted` if it depends on changes of the file that no person has accepted, with `no_orchestration` if there is no file, and with
 * `access_denied` in an agent's session.
 */
export interface IntentRegistry {
  /** Returns all intents. */
  list(): Promise<Intent[]>
  /** Returns an intent, or undefined for an unknown id. */
  get(id: string): Promise<Intent | undefined>
  /** Returns the file's active intent, or undefined. It is the intent of sessions that select none. */
  active(): Promise<Intent | undefined>
  /** Makes an intent the file's active one, and starts it. Rejects with `intent_not_active` for one that cannot be selected. */
  select(id: string, by?: Reviewer, why?: string): Promise<Intent>
  /** Removes the file's active intent. The intent itself stays. */
  deselect(by?: Reviewer, why?: string): Promise<void>
  /** Sets an intent's status to COMPLETED. Rejects with `intent_not_active` for an archived one. */
  complete(id: string, by?: Reviewer, why?: string): Promise<Intent>
  /** Adds globs to an intent's scope. */
  expandScope(id: string, globs: string[], by?: Reviewer, why?: string): Promise<Intent>
  /** Adds an intent. Rejects with `nothing_selected` for an unknown template and for an id in use. */
  add(intent: NewIntent, by?: Reviewer, why?: string): Promise<Intent>
  /** Changes an intent. Rejects with `nothing_selected` if a glob to remove is not in its scope. */
  edit(id: string, changes: IntentChanges, by?: Reviewer, why?: string): Promise<Intent>
  /**
   * Replaces the file's text by the result of `edit`, which gets the present text. Rejects with `policy_invalid` for an invalid
   * result, and with `stale_file` if the file was changed meanwhile.
   */
  editFile(edit: (text: string) => Promise<string>, by?: Reviewer, why?: string): Promise<Intent[]>
  /** Returns the templates in `.orchestration/templates/*.yaml`, then the built-in ones that these do not replace by name. */
  templates(): Promise<IntentTemplate[]>
  /** Returns the changes of an intent's status and scope, oldest first. A manual edit has the time of its detection. */
  history(id: string): Promise<IntentVersion[]>
}

/** One change of an intent. */
export interface IntentVersion {
  /** ISO 8601. */
  readonly at: string
  /** The change declared the intent. */
  readonly created?: true
  /** The change removed the intent from the file. */
  readonly deleted?: true
  readonly status?: { readonly from: string; readonly to: string }
  /** Globs added to the scope. */
  readonly added?: string[]
  /** Globs removed from the scope. */
  readonly removed?: string[]
  /** The person's name. */
  readonly by?: string
  /** The file was edited outside escrowfs, so the author is unknown. */
  readonly byHand?: true
  /** The session that selected the intent or requested the scope. */
  readonly session?: string
  readonly why?: string
}
