import { dirname, resolve } from 'node:path'
import { diffStage, isWithin, type StagedChange, sourcesInUse } from '../overlay/index.js'
import { beforeOf } from './change-view.js'
import { type CommitEntry, type CommitOutcome, commitEntries, entriesFor } from './commit/index.js'
import type { AgentInfo, CommitResult, Verdict } from './core/api.js'
import { EscrowError, type Refusal } from './core/api-error.js'
import type { IntentsState } from './core/intents-state.js'
import type { Layout } from './core/layout.js'
import { commitDenial, type PolicyState, protection, undoDenial } from './policy/index.js'
import { staleFile } from './policy/messages.js'
import type { StageStore } from './stage-store.js'
import { attributeFile, type FileAttribution, type LedgerStore, newDraft, type RecordDraft } from './trace/index.js'
import { type Undone, undoneBy } from './undo-session.js'

export interface CommitDeps {
  readonly layout: Layout
  readonly sessionId: string
  readonly agent: AgentInfo | undefined
  readonly ledger: LedgerStore
  readonly intents: () => IntentsState
  readonly policy: () => PolicyState
}

export interface CommitOptions {
  readonly strict?: boolean
  /** The verdicts by which the changes are approved. */
  readonly approvals: readonly Verdict[]
}

/** Takes approved changes of a session to the disk, all or none, with their ledger record. */
export async function commitSession(
  deps: CommitDeps,
  store: StageStore,
  approved: readonly StagedChange[],
  options: CommitOptions,
): Promise<CommitResult> {
  refuseDrifted(approved)
  const diff = diffStage(store.overlay)
  refuseInUse(store, approved, diff.changes)
  const entries = entriesFor(approved, diff)
  const owners = ownersOf(approved)
  const undone = undoneBy(deps.layout, store)
  const outcome = await commitEntries({
    layout: deps.layout,
    sessionId: deps.sessionId,
    entries,
    gate: (entry) => (undone?.restores(entry.path, entry.new) ? undoGate(deps, entry) : gate(deps, entry, owners)),
    record: ({ tx }) => ({ ...commitDraft(deps, store, { approved, tx, undone, approvals: options.approvals }) }),
    append: async (record) => {
      await deps.ledger.appendOnce(record as unknown as RecordDraft)
    },
    ...(options.strict !== undefined && { strict: options.strict }),
  })
  return resultOf(outcome, approved)
}

function resultOf({ tx, seq, conflicts }: CommitOutcome, approved: readonly StagedChange[]): CommitResult {
  const left = new Set(conflicts.map(({ path }) => path))
  const committed = approved.map(({ path }) => path as string).filter((path) => !left.has(path))
  return { id: tx, seq, committed: [...new Set(committed)], conflicts: [...conflicts] }
}

function refuseDrifted(approved: readonly StagedChange[]): void {
  const drifted = approved.filter((change) => change.drifted)
  if (drifted.length === 0) return
  const refused = drifted.map(({ path }) => ({ path, reason: 'stale_file', message: staleFile(path).message }))
  throw new EscrowError(
    'stale_file',
    `Nothing was committed: ${drifted.length} approved path(s) changed on disk since.`,
    {
      refused,
      hint: 'Look at the changes again; what the agent wrote over is what was there before.',
    },
  )
}

function refuseInUse(store: StageStore, approved: readonly StagedChange[], all: readonly StagedChange[]): void {
  const refused = sourcesInUse(store.overlay, approved, all).map(({ path, shownAt }) => {
    const message = `${path} still holds what is staged as ${shownAt}, which is not approved.`
    return { path, reason: 'unsupported', message }
  })
  if (refused.length === 0) return
  const hint = 'A directory was renamed. Approve both the old and the new name of what was in it, or neither.'
  throw new EscrowError(
    'unsupported',
    `Nothing was committed: ${refused.length} approved path(s) are needed elsewhere.`,
    {
      refused,
      hint,
    },
  )
}

/** Path → the intent it was written for. */
function ownersOf(approved: readonly StagedChange[]): Map<string, string | undefined> {
  const owners = new Map<string, string | undefined>()
  for (const { path, from, intentId } of approved) {
    for (const name of from === undefined ? [path] : [path, from]) owners.set(name, intentId ?? owners.get(name))
  }
  return owners
}

/** Directories that come and go with the files in them are judged by those; the protected ones never land. */
function gate(
  deps: CommitDeps,
  entry: CommitEntry,
  owners: ReadonlyMap<string, string | undefined>,
): Refusal | undefined {
  const { path } = entry
  const isNamed = owners.has(path)
  if (!isNamed && protection(path)?.level !== 'never') return undefined
  const isDirectory = entry.op === 'mkdir' || entry.op === 'rmdir'
  const target = targetOf(deps.layout.root, entry)
  const landing = { path, isDirectory, intentId: owners.get(path), ...(target !== undefined && { target }) }
  const denial = commitDenial(landing, deps.intents(), deps.policy())
  return denial && { path, reason: denial.reason, message: denial.message }
}

function undoGate({ policy }: CommitDeps, { path }: CommitEntry): Refusal | undefined {
  const denial = undoDenial(path, policy())
  return denial && { path, reason: denial.reason, message: denial.message }
}

/** Where a new symlink will point from its final place: it may have been staged at another. */
function targetOf(root: string, { path, new: next, content }: CommitEntry): string | undefined {
  if (next?.type !== 'symlink' || content === undefined) return undefined
  const target = resolve(root, dirname(path), Buffer.from(content()).toString())
  return isWithin(target, root) ? target.slice(root.length + 1) : target
}

interface Decided {
  readonly approved: readonly StagedChange[]
  readonly tx: string
  readonly undone: Undone | undefined
  readonly approvals: readonly Verdict[]
}

function commitDraft(deps: CommitDeps, store: StageStore, { approved, tx, undone, approvals }: Decided): RecordDraft {
  const intents = new Set(approved.map(({ intentId }) => intentId ?? null))
  const [only] = intents
  const reviewers = [...new Set(approvals.map(({ by }) => by.name))]
  return newDraft({
    type: undone === undefined ? 'commit' : 'undo',
    intent: intents.size === 1 ? (only ?? null) : null,
    session: deps.sessionId,
    agent: deps.agent,
    verdict: 'approved',
    tx,
    approvedBy: reviewers,
    files: approved
      .filter(
        (change) =>
          change.after !== null && change.after.type !== 'dir' && !undone?.restores(change.path, change.after),
      )
      .map((change) => attribution(store, change)),
    changes: approved.map(({ path, from, before, after }) => ({
      path,
      before: before?.digest ?? null,
      after: after?.digest ?? null,
      ...(from !== undefined && { from }),
    })),
    ...(undone !== undefined && { data: { undoes: undone.tx } }),
  })
}

function attribution(store: StageStore, change: StagedChange): FileAttribution {
  const before = beforeOf(store.overlay, change)
  const after = change.content()
  return attributeFile({ path: change.path, before, after, contributor: 'ai', intent: change.intentId ?? null })
}
