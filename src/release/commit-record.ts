import { isDeepStrictEqual } from 'node:util'
import type { StagedChange } from '../../overlay/index.js'
import type { ChecklistItem, LandedAt, Verdict } from '../core/api.js'
import { defined } from '../core/defined.js'
import type { Mutation } from '../core/mutation.js'
import type { AgentInfo } from '../core/people.js'
import type { GitLanding } from '../git/index.js'
import type { AmendmentState } from '../review/index.js'
import { newDraft, type RecordDraft, type RecordedChange } from '../trace/index.js'
import type { ReviewedSession } from './reviewed-session.js'
import { type Undone, undoNoteOf } from './undo-session.js'

/** The inputs of a commit's ledger record. */
export interface RecordedCommit {
  readonly approved: readonly StagedChange[]
  readonly mutations: ReadonlyMap<StagedChange, Mutation>
  readonly attribution: Pick<RecordDraft, 'files' | 'lines'>
  /** Undefined if no commit wrote the changes to the disk. */
  readonly tx: string | undefined
  readonly undone: Undone | undefined
  readonly approvals: readonly Verdict[]
  readonly amendments: AmendmentState
  /** The ids of the check runs that it is based on. */
  readonly evidence: readonly string[]
  readonly checklist: readonly ChecklistItem[]
  /** The digest of policy.yaml; undefined if there is none. */
  readonly policy: string | undefined
  /** The git commits that land with it. */
  readonly git: GitLanding | undefined
  /** Where a landing queue put the changes. */
  readonly landed?: LandedAt
}

export function commitDraft(
  session: Pick<ReviewedSession, 'sessionId' | 'agent'>,
  commit: RecordedCommit,
): RecordDraft {
  const { approved, mutations, attribution, tx, undone, approvals, amendments, checklist } = commit
  const { git, landed, evidence, policy } = commit
  const intents = new Set(approved.map(({ intentId }) => intentId ?? null))
  const [only] = intents
  const editors = editorsOf(approved, amendments)
  const reviewers = [...new Set(approvals.map(({ by }) => by.name))]
  return newDraft({
    type: undone === undefined ? 'commit' : 'undo',
    intent: intents.size === 1 ? (only ?? null) : null,
    session: session.sessionId,
    agent: agentOf(approved, session.agent()),
    verdict: 'approved',
    ...defined({ tx }),
    approvedBy: reviewers,
    ...attribution,
    changes: approved.map((change) => recordedChange(change, mutations.get(change))),
    data: {
      ...(undone !== undefined && { undoes: undoNoteOf(undone.txs) }),
      ...(editors.length > 0 && { edited_by: editors }),
      ...(checklist.length > 0 && { checklist: checklist.map(recordedItem) }),
      ...defined({ git, policy, landed }),
      ...(evidence.length > 0 && { evidence }),
    },
  })
}

function recordedItem({ intentId, criterion, ticked, by }: ChecklistItem) {
  return { intent: intentId, criterion, ticked, ...defined({ by: by?.name }) }
}

function recordedChange({ path, from, before, after }: StagedChange, mutation: Mutation | undefined): RecordedChange {
  return {
    path,
    before: before?.digest ?? null,
    after: after?.digest ?? null,
    ...defined({ type: after?.type, from, mutation }),
  }
}

/**
 * The agent that wrote every change. It is the session's current agent if one program used several models or the stage
 * has no agent, and undefined if several programs wrote changes.
 */
function agentOf(approved: readonly StagedChange[], present: AgentInfo | undefined): AgentInfo | undefined {
  const agents = approved.map(({ agent }) => agent as AgentInfo | null | undefined)
  const [first, ...others] = agents
  const isOne = first !== undefined && others.every((agent) => agent === first || isDeepStrictEqual(agent, first))
  if (isOne) return first ?? undefined
  return agents.every((agent) => agent === undefined || agent?.tool === present?.tool) ? present : undefined
}

/** The names of the reviewers who edited files of a commit. */
function editorsOf(approved: readonly StagedChange[], amendments: AmendmentState): string[] {
  const edits = approved.flatMap((change) => amendments.of(change).filter(({ cause }) => cause === 'edit'))
  return [...new Set(edits.map(({ by }) => by.name))]
}
