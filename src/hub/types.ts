import type {
  Decision,
  DecisionRequest,
  QueuedChange,
  Submission,
  SubmissionDetails,
  SubmissionSummary,
} from './review-types.js'
import type { ContentStore, LedgerStore, MachineLedgers } from './store-types.js'

export type {
  ApprovedPart,
  ChosenHunks,
  Decision,
  DecisionRequest,
  HunkState,
  IntentFacts,
  Missing,
  Outcome,
  QueuedChange,
  SessionFacts,
  Submission,
  SubmissionDetails,
  SubmissionSummary,
  SubmittedChange,
} from './review-types.js'
export type { ContentStore, LedgerLine, LedgerStore, MachineLedger, MachineLedgers } from './store-types.js'

/** Whose rows a caller may see. */
export interface Scope {
  readonly tenant: string
  readonly workspace: string
}

/** `host`: an agent's machine, which never decides. `reviewer`: a person who does. `admin`: also reads the audit. */
export type Role = 'host' | 'reviewer' | 'admin'
export const ROLES: readonly Role[] = ['host', 'reviewer', 'admin']

/** The owner of a token, or a person who signed in. */
export interface Identity extends Scope {
  readonly name: string
  readonly role: Role
  readonly proof?: Proof | undefined
}

/** The identity of a caller, for decisions. */
export interface Proof {
  /** Identifies the caller independently of the name. By default the name. */
  readonly subject?: string | undefined
  /** The hash of the token. A token that was revoked in the meantime decides nothing. */
  readonly token?: string | undefined
  /** The hash of a sign-in. A sign-in that has ended in the meantime, or has lost its access, decides nothing. */
  readonly signIn?: string | undefined
  /** As CODEOWNERS writes them. */
  readonly teams?: readonly string[] | undefined
}

/** The votes that a change needs before it counts as approved. */
export interface ReviewRules {
  /** Different people who approve exactly its bytes. */
  readonly approvals: number
  /** The text of a file CODEOWNERS: one owner of each path must be among them. */
  readonly codeowners: string | null
  /** The members of teams in CODEOWNERS, by `@organisation/team`. */
  readonly teams: Readonly<Record<string, readonly string[]>>
}

export interface RulesStore {
  get(): Promise<ReviewRules>
  /** They apply to decisions from now on. Rejects with `invalid` for a CODEOWNERS that cannot be read. */
  set(rules: ReviewRules, by: string): Promise<void>
}

/** A host's ownership of a session. The epoch is its fencing token: an older one is refused. */
export interface Hold {
  readonly session: string
  readonly host: string
  readonly epoch: number
}

export interface Lease {
  readonly epoch: number
  /** ISO 8601. */
  readonly until: string
}

export interface RegisteredSession {
  readonly id: string
  readonly host: string
  readonly epoch: number
  readonly until: string
}

export interface RegisteredIntent {
  readonly id: string
  readonly name: string
  readonly status: string
}

export interface Registry {
  /** Takes a session over with a new epoch. Rejects with `held` while another host has a lease on it. */
  open(session: string, host: string): Promise<Lease>
  /** Extends a lease. Rejects with `fenced` if it is over, or passed to another owner. */
  beat(hold: Hold): Promise<Lease>
  sessions(): Promise<RegisteredSession[]>
  putIntent(intent: RegisteredIntent): Promise<void>
  intents(): Promise<RegisteredIntent[]>
}

export interface Claim {
  readonly id: string
  /** Segments with a slash behind each; '' is the whole workspace. */
  readonly prefix: string
  readonly session: string
  readonly until: string
}

export interface Claims {
  /** Claims a path and everything below it for a time. Returns the other sessions' claims that overlap, and then claims nothing. */
  claim(hold: Hold, path: string, milliseconds: number): Promise<{ claim?: Claim; overlaps: Claim[] }>
  release(hold: Hold, path: string): Promise<void>
  /** Ends any session's claim, by a person. */
  override(id: string, by: string): Promise<void>
  list(): Promise<Claim[]>
}

/**
 * Reviewers vote on changes, and votes lead to decisions: an approval once there are enough votes, a rejection at once.
 */
export interface ReviewQueue {
  /** Queues a session's changes in place of its earlier ones. The same change set again returns the same id. Rejects with `missing`. */
  submit(hold: Hold, submission: Submission): Promise<{ id: string }>
  /** The open submissions, those with changes to decide first. */
  list(order: 'risk' | 'age'): Promise<SubmissionSummary[]>
  get(id: string): Promise<SubmissionDetails>
  /** Records a reviewer's vote. Rejects with `superseded` if the submission is not the session's newest one. */
  decide(id: string, request: DecisionRequest, reviewer: string, proof?: Proof): Promise<void>
  /** Decisions and ended landings after a number of the sequence, oldest first, for one host's sessions. `next` is the number to ask with next. */
  since(
    seq: number,
    host: string,
  ): Promise<{ decisions: Decision[]; landings: LandingNews[]; next: number; last: number }>
}

/** `withdrawn`: before a worker took it, the agent changed its work, a reviewer rejected it, or the repository was removed. */
export type LandingState = 'waiting' | 'landing' | 'landed' | 'evicted' | 'withdrawn'

/** The approved changes of a session, on their way to the branch of a repository. */
export interface Landing {
  readonly id: string
  readonly session: string
  readonly submission: string
  readonly state: LandingState
  readonly changes: readonly QueuedChange[]
  readonly reviewers: readonly string[]
  /** How often a worker took it. */
  readonly attempts: number
  readonly branch?: string | undefined
  readonly commit?: string | undefined
  /** Why it was evicted: for the agent, with the conflict or the output of the check. */
  readonly reason?: string | undefined
  /** ISO 8601: when it was queued. */
  readonly at: string
}

/** How a landing ended, for the machine of its session. */
export interface LandingNews {
  readonly seq: number
  readonly id: string
  readonly session: string
  readonly state: 'landed' | 'evicted'
  readonly branch: string
  readonly commit?: string | undefined
  readonly reason?: string | undefined
  /** The changes that it is about, by key: see `changeKey`. For an eviction, those that the agent must change. */
  readonly changes: readonly { readonly key: string; readonly path: string }[]
}

/** A command that must succeed before anything lands. */
export interface LandingCheck {
  readonly run: string
  readonly timeout?: number | undefined
}

/** Where the approved changes of a workspace land. */
export interface Repository extends Scope {
  readonly url: string
  readonly branch: string
  /** Where the workspace is in the repository, such as `packages/shop`. Empty: at its top. */
  readonly directory: string
  /** Run for each landing, in addition to those of its intent on the branch. */
  readonly checks: readonly LandingCheck[]
}

/** A worker's turn with a workspace. The epoch is its fencing token: an older one is refused. */
export interface Turn extends Repository {
  readonly worker: string
  readonly epoch: number
}

/** How a worker ended a landing. */
export type LandingEnd =
  | { readonly id: string; readonly state: 'landed'; readonly commit: string }
  | { readonly id: string; readonly state: 'withdrawn' }
  | {
      readonly id: string
      readonly state: 'evicted'
      readonly reason: string
      /** The paths that the agent must change. */
      readonly paths: readonly string[]
    }

export interface OpenLanding extends Landing {
  /** The state that the session's earlier landings left at the paths: a digest, or null for a deleted file. */
  readonly own: ReadonlyMap<string, string | null>
  /** Whether every change is still approved, and the session still has it. If not, it may only be on the branch already. */
  readonly mayLand: boolean
}

/**
 * The operations of a worker in its turn. Each rejects with `fenced` if the turn has passed to another worker or is
 * over.
 */
export interface LandingQueue {
  /** Takes the next landings, oldest first: those that share no path with an earlier one. Empty: there are none, and the turn is over. */
  begin(turn: Turn, limit: number): Promise<OpenLanding[]>
  /** Extends the turn. Returns whether these landings may still land: see `OpenLanding`. */
  renew(turn: Turn, landings?: readonly Landing[]): Promise<boolean>
  /**
   * Records how landings ended, with their lines of the audit. The branch is authoritative, so `landed` replaces any
   * other end.
   */
  end(turn: Turn, ends: readonly LandingEnd[]): Promise<void>
  /** Ends the turn, and keeps the landings for a later one. The page shows the problem. */
  pause(turn: Turn, problem: string, milliseconds: number): Promise<void>
  /** The newest landings, newest first. */
  list(): Promise<Landing[]>
  /** The workspace's repository; undefined if machines commit themselves. */
  repository(): Promise<(Repository & { readonly problem?: string | undefined }) | undefined>
}

/** The stores of one tenant's workspace. */
export interface Stores {
  readonly registry: Registry
  readonly claims: Claims
  readonly queue: ReviewQueue
  readonly ledger: LedgerStore
  readonly machines: MachineLedgers
  readonly contents: ContentStore
  readonly rules: RulesStore
  readonly landings: LandingQueue
}
