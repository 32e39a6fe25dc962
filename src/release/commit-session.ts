import { dirname, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import {
  asRelPath,
  type FileState,
  isWithin,
  type Overlay,
  type StageDiff,
  type StagedChange,
  sourcesInUse,
} from '../../overlay/index.js'
import { type CommitEntry, type CommitOutcome, commitEntries, entriesFor } from '../commit/index.js'
import type { CommitOptions, CommitResult, Verdict } from '../core/api.js'
import { EscrowError, type Refusal } from '../core/api-error.js'
import { isOutside } from '../core/decision.js'
import { defined } from '../core/defined.js'
import type { Denial } from '../core/denials.js'
import type { IntentsState } from '../core/intents-state.js'
import type { Layout } from '../core/layout.js'
import type { Mutation } from '../core/mutation.js'
import type { AgentInfo } from '../core/people.js'
import { mapCommitted } from '../history/intent-map.js'
import {
  type CommitRequest,
  commitDenial,
  freePathsOf,
  type PolicyState,
  protection,
  repositoryDenial,
  staleFile,
  undoDenial,
} from '../policy/index.js'
import { type AmendmentState, amendmentState, type ReviewRecord } from '../review/index.js'
import { isLessonEntry } from '../session/index.js'
import { classCache, declarationsOf, type StageStore } from '../stage/index.js'
import { type LedgerStore, newDraft, type RecordDraft, type RecordedChange, splitDraft } from '../trace/index.js'
import { readBases, withLook } from './commit-bases.js'
import { withWrittenOrder } from './commit-times.js'
import { noteOf, type Undone, undoneBy } from './undo-session.js'

export interface CommitDeps {
  readonly layout: Layout
  readonly sessionId: string
  readonly agent: AgentInfo | undefined
  readonly ledger: LedgerStore
  readonly intents: () => IntentsState
  readonly policy: () => PolicyState
  /** What reviewers have said and done in this session. */
  readonly reviews: () => readonly ReviewRecord[]
}

export interface SessionCommitOptions extends CommitOptions {
  /** The verdicts by which the changes are approved. */
  readonly approvals: readonly Verdict[]
  /** Of the changes that land in part: path → what is staged there. */
  readonly parts?: ReadonlyMap<string, FileState | null>
  /** What its reviews' log is to have once it is done. */
  readonly notesFor?: (tx: string) => readonly ReviewRecord[]
  /** Throws where a reviewer has taken back any of the approvals meanwhile. */
  readonly assertApproved?: () => void
}

/** Takes approved changes of a session to the disk, all or none, with their ledger record. */
export async function commitSession(
  deps: CommitDeps,
  { store, diff }: { readonly store: StageStore; readonly diff: StageDiff },
  approved: readonly StagedChange[],
  options: SessionCommitOptions,
): Promise<CommitResult> {
  refuseDriftedChanges(approved)
  refuseInUse(store, approved, diff.changes)
  const undone = partly(undoneBy(deps.layout, store), options.parts)
  const amendments = amendmentState(deps.reviews())
  // The records are made after this: only what is appended from here on can be one of them.
  const before = await deps.ledger.head()
  const { ledger } = deps
  const declarations = declarationsOf(store)
  const { signal } = options
  const classes = classCache(deps.layout)
  const about = { undone, free: freePathsOf(deps.intents()), amendments, ledger, declarations, classes, signal }
  const { looks, mutations, ...written } = await readBases(store, diff, approved, about)
  const looked = entriesFor(approved, diff).map((entry) => withLook(entry, looks.get(entry.at ?? entry.path)))
  const entries = withWrittenOrder(store.overlay, looked)
  const outcome = await commitEntries({
    layout: deps.layout,
    sessionId: deps.sessionId,
    entries,
    gate: gateOf(deps, store, approved, undone),
    records: ({ tx }) => {
      const { approvals } = options
      const draft = commitDraft(deps, { approved, mutations, written, tx, undone, approvals, amendments })
      return splitDraft(draft).map((part) => ({ ...part }))
    },
    append: async (record, isOwn) => {
      await deps.ledger.appendOnce(record as unknown as RecordDraft, isOwn ? before : undefined)
    },
    ...(options.notesFor && { notesFor: options.notesFor }),
    ...(options.assertApproved && { assertApproved: options.assertApproved }),
    strict: options.strict === true || isStrict(deps.policy()),
    undoable: undoableOf(deps.policy()),
    ...defined({ signal: options.signal, onProgress: options.onProgress }),
  })
  const result = resultOf(outcome, approved)
  const warnings = await mapCommitted(deps, approved, result.committed, written.files)
  return { ...result, ...(warnings.length > 0 && { warnings }) }
}

function resultOf({ tx, seq, conflicts }: CommitOutcome, approved: readonly StagedChange[]): CommitResult {
  const left = new Set(conflicts.map(({ path }) => path))
  const committed = approved.map(({ path }) => path as string).filter((path) => !left.has(path))
  return { id: tx, seq, committed: [...new Set(committed)], conflicts: [...conflicts] }
}

/** A person's policy can only add to what the commit was asked for. */
function isStrict(policy: PolicyState): boolean {
  return policy.ok && policy.rules.settings.strict
}

/** Where nobody can tell what a person wants kept, all of it is. */
function undoableOf(policy: PolicyState): number {
  return policy.ok ? policy.rules.settings.undoCommits : Number.MAX_SAFE_INTEGER
}

function refuseDriftedChanges(approved: readonly StagedChange[]): void {
  const drifted = approved.filter((change) => change.drifted)
  if (drifted.length === 0) return
  const refused = drifted.map(({ path }) => ({ path, reason: 'stale_file', message: staleFile(path).message }))
  throw new EscrowError(
    'stale_file',
    `Nothing was committed. Approved paths that changed on disk since: ${drifted.length}.`,
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
    `Nothing was committed. Approved paths that are needed elsewhere: ${refused.length}.`,
    {
      refused,
      hint,
    },
  )
}

/** Some hunks of what an undo puts back are put back as all of it would be. */
function partly(undone: Undone | undefined, parts: SessionCommitOptions['parts'] = new Map()): Undone | undefined {
  return undone && { ...undone, restores: (path, next) => undone.restores(path, parts.get(path) ?? next) }
}

/** Path → the intent it was written for. */
type Owners = ReadonlyMap<string, string | undefined>

function ownersOf(approved: readonly StagedChange[]): Owners {
  const owners = new Map<string, string | undefined>()
  for (const { path, from, intentId } of approved) {
    for (const name of from === undefined ? [path] : [path, from]) owners.set(name, intentId ?? owners.get(name))
  }
  return owners
}

type Gate = (entry: CommitEntry) => Refusal | undefined

/** All entries are judged by one state of the rules: that of the first, which is judged under the commit's lock. */
function gateOf(
  deps: CommitDeps,
  store: StageStore,
  approved: readonly StagedChange[],
  undone: Undone | undefined,
): Gate {
  const owners = ownersOf(approved)
  const lands = new Map(approved.flatMap(({ path, after }) => (after === null ? [] : [[path as string, after]])))
  let seen: Rules | undefined
  return (entry) => {
    seen ??= { intents: deps.intents(), policy: deps.policy() }
    // What a directory carries along may be edited after it: judged is what comes of both.
    const next = entry.carried && entry.new !== null ? (lands.get(entry.path) ?? entry.new) : entry.new
    const isFree = undone?.restores(entry.path, next) || isLessonEntry(store, entry)
    if (isFree) return refusal(entry, undoDenial(entry.path, seen.policy))
    return gate(deps.layout.root, store.overlay, entry, owners, seen)
  }
}

interface Rules {
  readonly intents: IntentsState
  readonly policy: PolicyState
}

function refusal({ path }: CommitEntry, denial: Denial | undefined): Refusal | undefined {
  return denial && { path, reason: denial.reason, message: denial.message }
}

/** Directories that come and go with the files in them are judged by those; the protected ones never land. */
function gate(
  root: string,
  overlay: Overlay,
  entry: CommitEntry,
  owners: Owners,
  { intents, policy }: Rules,
): Refusal | undefined {
  const { path } = entry
  const isNamed = owners.has(path)
  if (!isNamed && protection(path)?.level !== 'never') return undefined
  const effect = entry.op === 'mkdir' ? 'mkdir' : entry.new === null ? 'remove' : 'put'
  const inRepository = repositoryDenial({ effect, path, asked: path }, (each) => overlay.typeOf(asRelPath(each)))
  if (inRepository) return refusal(entry, inRepository)
  const isDirectory = entry.op === 'mkdir' || entry.op === 'rmdir'
  const link = linkOf(root, overlay, entry)
  const landing = { path, isDirectory, intentId: owners.get(path), ...(link && { link }) }
  return refusal(entry, commitDenial(landing, intents, policy))
}

/** Where a new symlink will point from its final place: it may have been staged at another. */
function linkOf(root: string, overlay: Overlay, { path, new: next, content }: CommitEntry): CommitRequest['link'] {
  if (next?.type !== 'symlink' || content === undefined) return undefined
  const written = Buffer.from(content()).toString()
  const place = resolve(root, dirname(path), written)
  const target = isWithin(place, root) ? place.slice(root.length + 1) : place
  return { target, written, toFile: !isOutside(target) && overlay.typeOf(asRelPath(target)) === 'file' }
}

interface Decided {
  readonly approved: readonly StagedChange[]
  readonly mutations: ReadonlyMap<StagedChange, Mutation>
  readonly written: Pick<RecordDraft, 'files' | 'lines'>
  readonly tx: string
  readonly undone: Undone | undefined
  readonly approvals: readonly Verdict[]
  readonly amendments: AmendmentState
}

function commitDraft(deps: CommitDeps, decided: Decided): RecordDraft {
  const { approved, mutations, written, tx, undone, approvals, amendments } = decided
  const intents = new Set(approved.map(({ intentId }) => intentId ?? null))
  const [only] = intents
  const editors = editorsOf(approved, amendments)
  const reviewers = [...new Set(approvals.map(({ by }) => by.name))]
  return newDraft({
    type: undone === undefined ? 'commit' : 'undo',
    intent: intents.size === 1 ? (only ?? null) : null,
    session: deps.sessionId,
    agent: agentOf(approved, deps.agent),
    verdict: 'approved',
    tx,
    approvedBy: reviewers,
    ...written,
    changes: approved.map((change) => recordedChange(change, mutations.get(change))),
    data: {
      ...(undone !== undefined && { undoes: noteOf(undone.txs) }),
      ...(editors.length > 0 && { edited_by: editors }),
    },
  })
}

function recordedChange({ path, from, before, after }: StagedChange, mutation: Mutation | undefined): RecordedChange {
  return {
    path,
    before: before?.digest ?? null,
    after: after?.digest ?? null,
    ...defined({ from, mutation }),
  }
}

/** Who wrote all of it; where one program did by several models, or the stage does not say, the session's agent of now; of several programs none. */
function agentOf(approved: readonly StagedChange[], present: AgentInfo | undefined): AgentInfo | undefined {
  const agents = approved.map(({ agent }) => agent as AgentInfo | null | undefined)
  const [first, ...others] = agents
  const isOne = first !== undefined && others.every((agent) => agent === first || isDeepStrictEqual(agent, first))
  if (isOne) return first ?? undefined
  return agents.every((agent) => agent === undefined || agent?.tool === present?.tool) ? present : undefined
}

/** Who edited files of a commit, by name. */
function editorsOf(approved: readonly StagedChange[], amendments: AmendmentState): string[] {
  const edits = approved.flatMap((change) => amendments.of(change).filter(({ cause }) => cause === 'edit'))
  return [...new Set(edits.map(({ by }) => by.name))]
}
