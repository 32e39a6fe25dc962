import type { ChangeKind } from '../core/api.js'

/** Whose rows a caller may see. */
export interface Scope {
  readonly tenant: string
  readonly workspace: string
}

/** `host`: an agent's machine, which never decides. `reviewer`: a person who does. `admin`: also reads the audit. */
export type Role = 'host' | 'reviewer' | 'admin'
export const ROLES: readonly Role[] = ['host', 'reviewer', 'admin']

/** The owner of a token. */
export interface Identity extends Scope {
  readonly name: string
  readonly role: Role
  readonly proof?: Proof | undefined
}

/** How a caller is known, for decisions. */
export interface Proof {
  /** Who it is, whatever the name says. By default the name. */
  readonly subject?: string | undefined
  /** The hash of the token. One that was revoked in the meantime decides nothing. */
  readonly token?: string | undefined
  /** As CODEOWNERS writes them. */
  readonly teams?: readonly string[] | undefined
}

/** What a change needs before it counts as approved. */
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
  /** They hold for decisions from now on. Rejects with `invalid` for a CODEOWNERS that cannot be read. */
  set(rules: ReviewRules, by: string): Promise<void>
}

/** What a change lacks to be approved. */
export interface Missing {
  readonly approvals: number
  /** Lists of owners: one of each list must approve. */
  readonly owners: readonly (readonly string[])[]
  /** People whose rejection holds until they approve. */
  readonly rejectedBy: readonly string[]
}

/** A host's hold on a session. The epoch is its fencing token: an older one is refused. */
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
}

export interface Submission {
  /** The digest of the whole change set. */
  readonly digest: string
  /** Counts up within an epoch. */
  readonly revision: number
  readonly changes: readonly QueuedChange[]
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

export interface SubmittedChange extends QueuedChange {
  readonly key: string
  readonly verdict?: 'approved' | 'rejected' | undefined
  readonly reason?: string | undefined
  readonly reviewer?: string | undefined
  /** Who has approved so far, and what the change lacks, if it was not approved. */
  readonly approvedBy?: readonly string[] | undefined
  readonly missing?: Missing | undefined
}

export interface SubmissionDetails {
  readonly id: string
  readonly session: string
  readonly isOpen: boolean
  readonly changes: readonly SubmittedChange[]
}

export interface Decision {
  readonly seq: number
  readonly session: string
  /** See `changeKey`. */
  readonly key: string
  readonly path: string
  readonly verdict: 'approved' | 'rejected'
  readonly reason?: string | undefined
  readonly reviewer: string
  readonly at: string
}

export interface DecisionRequest {
  /** The keys of changes of this submission. */
  readonly keys: readonly string[]
  readonly verdict: 'approved' | 'rejected'
  readonly reason?: string | undefined
}

/** A decision is what the votes on a change make of it: an approval once there are enough, a rejection at once. */
export interface ReviewQueue {
  /** Queues a session's changes in place of its earlier ones. The same change set again returns the same id. Rejects with `missing`. */
  submit(hold: Hold, submission: Submission): Promise<{ id: string }>
  /** The open submissions, those with changes to decide first. */
  list(order: 'risk' | 'age'): Promise<SubmissionSummary[]>
  get(id: string): Promise<SubmissionDetails>
  /** Records a reviewer's vote. Rejects with `superseded` if the submission is not the session's newest one. */
  decide(id: string, request: DecisionRequest, reviewer: string, proof?: Proof): Promise<void>
  /** Decisions after a number of the sequence, oldest first, for one host's sessions. `next` is the number to ask with next. */
  since(seq: number, host: string): Promise<{ decisions: Decision[]; next: number; last: number }>
}

export interface LedgerLine {
  readonly number: number
  readonly sha256: string
  readonly line: string
}

export interface LedgerStore {
  /** Appends a line if the last line has this hash; null: if there is none. Rejects with `behind`. */
  append(chain: string, previous: string | null, line: string): Promise<LedgerLine>
  read(chain: string, after: number): Promise<LedgerLine[]>
}

export interface ContentStore {
  /** Returns whether the content is new. Rejects with `invalid` if the bytes have another digest. */
  put(digest: string, bytes: Uint8Array): Promise<boolean>
  get(digest: string): Promise<Uint8Array | undefined>
}

/** The stores of one tenant's workspace. */
export interface Stores {
  readonly registry: Registry
  readonly claims: Claims
  readonly queue: ReviewQueue
  readonly ledger: LedgerStore
  readonly contents: ContentStore
  readonly rules: RulesStore
}
