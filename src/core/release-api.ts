import type { Risk } from './risk-api.js'

/** The types of release by rule in the public API: approvals that policy gives, without a person. */

/** The proven class of a change. `any`: every known class. */
export type ReleaseClass = 'formatting' | 'refactor' | 'documentation' | 'tests' | 'any'

/** A condition for a release, in addition to the class. */
export type ReleaseRequirement = 'checks' | 'no_dependency' | 'no_mode' | 'no_link' | 'no_binary'

/** A tier of policy.yaml, `approval.auto.tiers`: which changes are released without a person. */
export interface ReleaseTier {
  readonly name: string
  /** Globs of the paths it is for. */
  readonly paths: readonly string[]
  readonly classes: readonly ReleaseClass[]
  /** The most files of one release. */
  readonly maxFiles: number
  /** The most added and removed lines of one release. */
  readonly maxLines: number
  readonly requires: readonly ReleaseRequirement[]
  /** Minutes from the approval to the earliest commit, in which a person can stop it. */
  readonly hold: number
}

/** `approval.auto` of policy.yaml. */
export interface ReleaseRules {
  /** In order: the first tier that is for a change decides. */
  readonly tiers: readonly ReleaseTier[]
  /** Globs of paths that no tier releases, in addition to those that are never released. */
  readonly never: readonly string[]
}

/** The rule that approved changes in place of a person. */
export interface ReleaseRule {
  readonly tier: string
  /** The digest of the rules that it comes from. */
  readonly policy: string
}

/** The decision of the rules on one change. */
export interface ReleaseDecision {
  readonly path: string
  /** The tier that releases it; absent if none does. */
  readonly tier?: string
  /** Why it needs a person; empty if a tier releases it. */
  readonly reasons: readonly string[]
  readonly risk?: Risk
}

/** Options of a release by rule. */
export interface ReleaseOptions {
  /** Only decides. Nothing is approved, run or committed. */
  readonly dryRun?: boolean | undefined
  readonly signal?: AbortSignal | undefined
  /** Called with each chunk of output of the checks that it runs. Secrets in it are not masked. */
  readonly onOutput?: ((chunk: Uint8Array, stream: 'stdout' | 'stderr') => void) | undefined
}

/** The outcome of a release by rule. */
export interface ReleaseReport {
  readonly decisions: readonly ReleaseDecision[]
  /** Paths that are approved by rule now. */
  readonly approved: readonly string[]
  /** The ids of the check runs that were green on these bytes. */
  readonly evidence?: readonly string[]
  /** The earliest time of their commit: ISO 8601. Absent if no tier delays the commit. */
  readonly heldUntil?: string
  /** The id of the commit, and its number. Absent if nothing was committed. */
  readonly commit?: { readonly id: string; readonly seq: number; readonly paths: readonly string[] }
  /** Why nothing was committed although something was releasable. */
  readonly stopped?: string
}
