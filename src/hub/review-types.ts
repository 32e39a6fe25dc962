import type { ChangeKind } from '../core/api.js'

/** The approvals that a change still needs. */
export interface Missing {
  readonly approvals: number
  /** Lists of owners: one of each list must approve. */
  readonly owners: readonly (readonly string[])[]
  /** People whose rejection applies until they approve. */
  readonly rejectedBy: readonly string[]
}

/** The parts of an intent that reviewers see. */
export interface IntentFacts {
  readonly id: string
  readonly name: string
  /** Globs of the paths that it may change. */
  readonly scope: readonly string[]
  /** Its acceptance criteria: sentences, and commands. */
  readonly criteria: readonly string[]
}

/**
 * The facts that a machine sends about a session, for reviewers. The hub does not check them, and no verdict is bound
 * to them.
 */
export interface SessionFacts {
  /** The tool and model of the agent. */
  readonly agent?: string | undefined
  /** The intents of its changes. */
  readonly intents: readonly IntentFacts[]
}

/** A change as the hub shows it. The digests are those of the machine that staged it. */
export interface QueuedChange {
  readonly path: string
  readonly from?: string | undefined
  readonly kind: ChangeKind
  readonly before: string | null
  readonly after: string | null
  readonly mode?: { readonly before: number | null; readonly after: number | null } | undefined
  /** 0 for a change without facts that ask for a look. */
  readonly risk: number
  /** The contents to show, by digest. Null: there is none on this side. Absent: too large to send, so that nobody can approve it here. */
  readonly shown?: { readonly before: string | null; readonly after: string | null } | undefined
  /** One of its sides is a symbolic link. */
  readonly link?: true | undefined
  /** The id of the intent that it was made for. */
  readonly intent?: string | undefined
  /** The agent that made it: its tool and model. */
  readonly agent?: string | undefined
  /** Sentences about it that a review on its machine shows. They are not part of its key. */
  readonly facts?: readonly string[] | undefined
}

export interface Submission {
  /** The digest of the whole change set, and of the facts about the session. */
  readonly digest: string
  /** Counts up within an epoch. */
  readonly revision: number
  readonly changes: readonly QueuedChange[]
  readonly facts?: SessionFacts | undefined
}

export interface SubmissionSummary {
  readonly id: string
  readonly session: string
  readonly risk: number
  readonly at: string
  readonly changes: number
  /** Changes without a verdict. */
  readonly pending: number
}

/**
 * The state of a whole change by the decisions on its parts. `mixed`: some hunks are approved, the others rejected.
 * `pending`: not all are decided.
 */
export type Outcome = 'approved' | 'rejected' | 'mixed' | 'pending'

/** A hunk that has a vote or a decision of its own. */
export interface HunkState {
  readonly id: string
  readonly verdict?: 'approved' | 'rejected' | undefined
  readonly reason?: string | undefined
  readonly reviewer?: string | undefined
  readonly approvedBy?: readonly string[] | undefined
  readonly missing?: Missing | undefined
}

export interface SubmittedChange extends QueuedChange {
  readonly key: string
  /** Absent: some of it has none. `approved` only if all of it is. */
  readonly verdict?: Exclude<Outcome, 'pending'> | undefined
  readonly reason?: string | undefined
  readonly reviewer?: string | undefined
  /** The people who have approved so far, and the approvals that the change still needs, if it is not approved. */
  readonly approvedBy?: readonly string[] | undefined
  readonly missing?: Missing | undefined
  /** If it was voted on by hunk: the hunks with a vote or a decision of their own. */
  readonly hunks?: readonly HunkState[] | undefined
}

export interface SubmissionDetails {
  readonly id: string
  readonly session: string
  readonly isOpen: boolean
  /** Absent if a machine of an earlier version sent it. */
  readonly facts?: SessionFacts | undefined
  readonly changes: readonly SubmittedChange[]
}

/** The part of a decision that one person approved. */
export interface ApprovedPart {
  readonly name: string
  /** The ids of the hunks. */
  readonly hunks: readonly string[]
}

export interface Decision {
  readonly seq: number
  readonly session: string
  /** See `changeKey`. */
  readonly key: string
  readonly path: string
  readonly verdict: 'approved' | 'rejected'
  readonly reason?: string | undefined
  /** The person who decided: of several who approved, the last. */
  readonly reviewer: string
  /** The people who approved all of it; absent: it is a rejection. */
  readonly approvers?: readonly string[] | undefined
  /** Others, who approved some of its hunks; absent: nobody. */
  readonly parts?: readonly ApprovedPart[] | undefined
  readonly at: string
  /** The ids of the hunks that it is on; absent: the whole change. */
  readonly hunks?: readonly string[] | undefined
  /** The state of the whole change after this decision and those before it. */
  readonly outcome: Outcome
}

export interface ChosenHunks {
  readonly key: string
  readonly ids: readonly string[]
}

export interface DecisionRequest {
  /** The keys of changes of this submission, each decided as a whole. */
  readonly keys: readonly string[]
  /** Hunks of other changes, by the key of the change. */
  readonly hunks?: readonly ChosenHunks[] | undefined
  readonly verdict: 'approved' | 'rejected'
  readonly reason?: string | undefined
}
