import type { FileState, StagedChange } from '../../overlay/index.js'
import type {
  ChangesOptions,
  ChecklistItem,
  CommitOptions,
  CommitResult,
  LandedAt,
  Snapshot,
  Verdict,
} from '../core/api.js'
import type { Mutation } from '../core/mutation.js'
import type { Reviewer } from '../core/people.js'
import type { Question } from '../core/question.js'
import type { Risk } from '../core/risk-api.js'
import type { AnswerRecord, ReviewRecord } from './record-schema.js'
import type { AmendableStage } from './stage-amender.js'

/** The stage under review. */
export interface ReviewStage extends AmendableStage {
  /** The staged changes now; each call replays the session's log. */
  changes(): Promise<StagedChange[]>
  /** The first change of a path, as {@link changes} would return it now. Compares only this path if nothing else was staged since. */
  changeAt(path: string): Promise<StagedChange | undefined>
  /** Oldest first. */
  snapshots(): Promise<Snapshot[]>
  /** Questions that the session has recorded, answered or not. */
  questionNotes(): Promise<readonly unknown[]>
  /** The flags that policy gives a change. */
  flags(change: StagedChange): string[]
  /**
   * How changes alter their files, compared with the bases.
   * @param classes as in {@link ChangesOptions}
   */
  mutations(
    staged: readonly StagedChange[],
    classes: ChangesOptions['classes'],
  ): Promise<ReadonlyMap<StagedChange, Mutation>>
  /** Begins to measure in the background what {@link mutations} left out. Parsing would delay the view that asked. */
  measureRest(): void
  /** The facts about each change of the set. */
  risks(
    staged: readonly StagedChange[],
    mutations: ReadonlyMap<StagedChange, Mutation>,
  ): Promise<ReadonlyMap<StagedChange, Risk>>
}

/** An acceptance sentence of an intent. */
export type Criterion = Pick<ChecklistItem, 'intentId' | 'criterion' | 'number'>

/** The state that a decision without a person was based on. */
export interface DecidedTree {
  /** The digest of the changes to commit, with their bases. */
  readonly tree: string
  /** The number of the workspace's last commit when checks ran on the disk. */
  readonly after?: number
}

/** A commit of approved changes. */
export interface ApprovedCommit extends CommitOptions {
  /** The ids of the check runs that a release by rule is based on. */
  readonly evidence?: readonly string[] | undefined
  /** The state that a release by rule decided on. The commit is refused if its changes or their bases differ. */
  readonly only?: DecidedTree | undefined
  /** The verdicts by which the changes are approved. */
  readonly approvals: readonly Verdict[]
  /** For changes that are committed in part: path → the staged state. */
  readonly parts?: ReadonlyMap<string, FileState | null>
  /** The records for the review log, if the commit leaves a part of a change staged or spends ticks. Any process may write them. */
  readonly notesFor?: (tx: string) => readonly ReviewRecord[]
  /** The acceptance sentences of the intents of these changes, each with its tick. */
  readonly checklist: readonly ChecklistItem[]
  /** Throws if an approval has been cancelled since. The commit calls it under its lock. */
  readonly assertApproved?: () => void
}

/** Approved changes that are on a git branch already. */
export interface ApprovedLanding {
  readonly at: LandedAt
  /** The verdicts by which the changes are approved. */
  readonly approvals: readonly Verdict[]
}

/** Carries out the decisions of reviewers. */
export interface ReviewEffects {
  /** The reviewer, for calls that name none. */
  reviewer(): Reviewer
  /** Appends a verdict to the ledger. The review log follows, so a verdict missing from the ledger never counts. */
  recordVerdict(verdict: Verdict): Promise<void>
  /** Applies an answer, and records it in the ledger before the session sees it. */
  applyAnswer(question: Question, record: AnswerRecord): Promise<void>
  /** Whether policy keeps an approval through a clean merge. */
  keepsApprovalOnMerge(): boolean
  /**
   * The acceptance sentences of the intents that these changes are for.
   * @throws EscrowError `policy_invalid` if the intents cannot be read
   */
  criteria(changes: readonly StagedChange[]): readonly Criterion[]
  commit(changes: readonly StagedChange[], commit: ApprovedCommit): Promise<CommitResult>
  /** Records changes that are on a git branch in the ledger. Writes nothing to the disk. */
  recordLanded(changes: readonly StagedChange[], landing: ApprovedLanding): Promise<void>
}
