import { digest, type StageDiff, type StagedChange, sourcesInUse } from '../../overlay/index.js'
import {
  type CommitOutcome,
  type CommittedTree,
  commitEntries,
  entriesFor,
  lastCommit,
  treeDigest,
} from '../commit/index.js'
import type { CommitResult, GitCommitOptions } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { changedOnDisk } from '../core/changed-on-disk.js'
import { defined } from '../core/defined.js'
import { BY_DIFF, BY_MERGE } from '../core/hint-commands.js'
import type { Layout } from '../core/layout.js'
import { mapCommitted } from '../history/intent-map.js'
import { readShared } from '../os/shared-files.js'
import { assertInPlace } from '../os/workspace-state.js'
import { freePathsOf, type PolicyState } from '../policy/index.js'
import { type ApprovedCommit, amendmentState, type DecidedTree } from '../review/index.js'
import { classCache, declarationsOf, type StageStore } from '../stage/index.js'
import { parseDraft, splitDraft } from '../trace/index.js'
import { refuseUnticked } from './checklist.js'
import { readBases, withReadStats } from './commit-bases.js'
import { commitGate } from './commit-gate.js'
import { commitDraft } from './commit-record.js'
import { withWrittenOrder } from './commit-times.js'
import { gitResult, landRecorded, prepareGitCommit } from './git-commit.js'
import { runPreCommit } from './pre-commit.js'
import type { ReviewedSession } from './reviewed-session.js'
import { type Undone, undoneBy } from './undo-session.js'

/**
 * Commits approved changes of a session to the disk, all or none, with their ledger record.
 * @param reading the stage, and its comparison with the disk
 * @throws EscrowError `stale_file`, `unsupported` and the reasons of a denial; `refused` names each path. `ledger_unavailable` if
 * another directory has taken the place of the workspace
 */
export async function commitSession(
  session: ReviewedSession,
  { store, diff }: { readonly store: StageStore; readonly diff: StageDiff },
  approved: readonly StagedChange[],
  commit: ApprovedCommit,
): Promise<CommitResult> {
  assertInPlace(session.layout)
  const policy = session.policyFile()
  refuseUnticked(policy, commit.checklist, session.sessionId)
  refuseDriftedChanges(approved)
  refuseInUse(store, approved, diff.changes)
  const { layout, sessionId, ledger } = session
  const { approvals, signal, evidence = [] } = commit
  const amendments = amendmentState(session.log.read())
  const undone = withParts(undoneBy(layout, store, amendments), commit.parts)
  // The commit's records come after this head, so a retry searches no further back.
  const before = await ledger.head()
  const { statsByPath, mutations, ...attribution } = await readBases(store, diff, approved, {
    undone,
    free: freePathsOf(session.intents.state()),
    amendments,
    ledger,
    declarations: declarationsOf(store),
    classes: classCache(layout),
    signal,
  })
  const planned = entriesFor(approved, diff)
  const stays = assertDecided(layout, commit.only, { entries: planned, changes: approved })
  const entries = planned.map((entry) => withReadStats(entry, statsByPath.get(entry.at ?? entry.path)))
  const options = commit.git ?? gitSetting(policy)
  const git = options
    ? await prepareGitCommit(session, { changes: approved, approvals, head: before, options })
    : undefined
  await runPreCommit(session, { entries, git, signal })
  const landed: string[] = []
  const outcome = await commitEntries({
    layout,
    sessionId,
    entries: withWrittenOrder(store.overlay, entries),
    gate: commitGate(session, store, approved, undone),
    records: ({ tx }) => {
      const { checklist } = commit
      const parts = {
        approved,
        mutations,
        attribution,
        tx,
        undone,
        approvals,
        amendments,
        checklist,
        git: git?.landing,
        evidence,
        policy: digestOfPolicy(layout),
      }
      return splitDraft(commitDraft(session, parts))
    },
    append: async (record, isOwn) => {
      await ledger.appendOnce(parseDraft(record), isOwn ? before : undefined)
      landed.push(...landRecorded(layout, record))
    },
    ...defined({ notesFor: commit.notesFor }),
    assertApproved: () => {
      commit.assertApproved?.()
      assertInPlace(layout)
      stays()
    },
    strict: commit.strict === true || isStrict(policy),
    undoable: undoableOf(policy),
    ...defined({ signal, onProgress: commit.onProgress }),
  })
  const result = resultOf(outcome, approved)
  const intents = () => session.intents.state()
  const warnings = await mapCommitted({ layout, intents }, approved, result.committed, attribution.files)
  const all = [...landed, ...warnings]
  return { ...result, ...(git && { git: gitResult(git) }), ...(all.length > 0 && { warnings: all }) }
}

function resultOf({ tx, seq, conflicts }: CommitOutcome, approved: readonly StagedChange[]): CommitResult {
  const conflicting = new Set(conflicts.map(({ path }) => path))
  const committed = approved.map(({ path }) => path as string).filter((path) => !conflicting.has(path))
  return { id: tx, seq, committed: [...new Set(committed)], conflicts: [...conflicts] }
}

/** Policy can make a commit strict, never less strict than its caller requests. */
function isStrict(policy: PolicyState): boolean {
  return policy.ok && policy.rules.settings.strict
}

/** While the policy cannot be read, nothing is committed anyway. */
function gitSetting(policy: PolicyState): GitCommitOptions | undefined {
  return policy.ok ? policy.rules.settings.git : undefined
}

/** For the record. Undefined if there is no file: the rules were checked before. */
export function digestOfPolicy({ policyFile }: Layout): string | undefined {
  try {
    return digest(readShared(policyFile))
  } catch {
    return undefined
  }
}

/** How many commits can be undone. While the policy cannot be read, none is pruned. */
function undoableOf(policy: PolicyState): number {
  return policy.ok ? policy.rules.settings.undoCommits : Number.MAX_SAFE_INTEGER
}

function refuseDriftedChanges(approved: readonly StagedChange[]): void {
  const drifted = approved.filter((change) => change.drifted)
  if (drifted.length === 0) return
  const refused = drifted.map(({ path }) => ({ path, reason: 'stale_file', message: changedOnDisk(path) }))
  throw new EscrowError(
    'stale_file',
    `Nothing was committed. Approved paths that changed on disk: ${drifted.length}.`,
    {
      refused,
      hint: `Review them again ${BY_DIFF}, or merge ${BY_MERGE}.`,
    },
  )
}

/**
 * Refuses a commit that differs from the state that a release by rule decided on. Returns a function that the commit
 * calls under its lock: it throws if another commit has changed the disk since the checks.
 */
function assertDecided(layout: Layout, only: DecidedTree | undefined, planned: CommittedTree): () => void {
  if (only === undefined) return () => undefined
  if (treeDigest(planned) !== only.tree) throw decidedOtherwise('what is approved')
  return () => {
    if (only.after !== undefined && lastCommit(layout) !== only.after)
      throw decidedOtherwise('the workspace, by another commit,')
  }
}

function decidedOtherwise(what: string): EscrowError {
  return new EscrowError('stale_file', `Nothing was committed: ${what} has changed since the rules decided.`, {
    hint: "Run 'escrow release' again.",
  })
}

function refuseInUse(store: StageStore, approved: readonly StagedChange[], all: readonly StagedChange[]): void {
  const refused = sourcesInUse(store.overlay, approved, all).map(({ path, shownAt }) => {
    const message = `${path} still contains the file that is staged as ${shownAt}, which is not approved.`
    return { path, reason: 'unsupported', message }
  })
  if (refused.length === 0) return
  const hint = 'A directory was renamed. For each file in it, approve both the old and the new name, or neither.'
  throw new EscrowError(
    'unsupported',
    `Nothing was committed. Approved paths that other staged changes still need: ${refused.length}.`,
    {
      refused,
      hint,
    },
  )
}

/** Makes a partly committed change of an undo count as the whole one. */
function withParts(undone: Undone | undefined, parts: ApprovedCommit['parts'] = new Map()): Undone | undefined {
  return (
    undone && {
      ...undone,
      restores: (path, next) => undone.restores(path, parts.get(path) ?? next),
      isByPerson: (path, next) => undone.isByPerson(path, parts.get(path) ?? next),
    }
  )
}
