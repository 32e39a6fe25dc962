import type { Ledger, TraceRecord } from '../core/api.js'
import { type OwnRecordOf, ownRecordOf } from '../trace/index.js'

/** Which commits of a ledger were approved, and by which rules. */
export interface Approvals {
  /** The ids of commit records with reviewers, and an approval in force for each of their paths. */
  readonly commits: ReadonlySet<string>
  /** The tiers that approved paths in place of a person, by the id of the commit record. */
  readonly tiers: ReadonlyMap<string, ReadonlySet<string>>
}

/** One approval. */
interface Approval {
  /** The tier of the rule that approved; undefined: a person did. */
  readonly tier: string | undefined
  /** The commit that used it up. */
  usedBy?: string
}

/** The approvals in force on one path of a session. */
interface PathApprovals {
  /** The approval of the whole change; absent if there is none. */
  whole?: Approval
  /** Hunk → the approval of this hunk alone, if it is later than that of the whole. */
  readonly hunks: Map<string, Approval>
  /** Who approved since the last rejection or commit of the whole. */
  readonly names: Set<string>
}

type Commit = OwnRecordOf<'commit' | 'undo'>

/** A commit may be in several records, which all name the reviewers of the whole. */
interface Candidate {
  readonly id: string
  readonly tx: string
  readonly approvedBy: readonly string[]
  readonly tiers: ReadonlySet<string>
}

/**
 * Reads a ledger's verdicts in order. A rejection, or the withdrawal of a verdict, by anybody ends the approvals before it, until somebody
 * approves again. One of hunks ends only the approvals of these hunks: the rest of the file may still be committed. A commit uses an approval
 * up, and the people that it names must have approved.
 */
export async function readApprovals(ledger: Pick<Ledger, 'records'>): Promise<Approvals> {
  const paths = new Map<string, PathApprovals>()
  const names = new Map<string, Set<string>>()
  const candidates: Candidate[] = []
  for await (const record of ledger.records()) {
    const verdict = ownRecordOf(record, 'verdict')
    if (verdict !== undefined) apply(verdict, (path) => at(paths, keyOf(record, path)))
    const commit = ownRecordOf(record, 'commit', 'undo')
    if (commit === undefined) continue
    const [id, tx] = [String(record.id), commit.tx ?? String(record.id)]
    const found = approvalsOf(commit, tx, (path) => at(paths, keyOf(record, path)))
    for (const each of found ?? []) names.set(tx, new Set([...(names.get(tx) ?? []), ...each.names]))
    if (found !== undefined)
      candidates.push({ id, tx, approvedBy: commit.approved_by ?? [], tiers: new Set(found.flatMap(tiersFor(tx))) })
  }
  const approved = candidates.filter(({ tx, approvedBy }) => approvedBy.every((name) => names.get(tx)?.has(name)))
  return {
    commits: new Set(approved.map(({ id }) => id)),
    tiers: new Map(approved.map(({ id, tiers }) => [id, tiers])),
  }
}

function apply(
  { verdict, question, paths = [], hunks, rule, reviewer }: OwnRecordOf<'verdict'>,
  approvalsAt: (path: string) => PathApprovals,
): void {
  // An answer to a question approves no content, although it may name a path.
  if (verdict == null || question !== undefined) return
  for (const known of paths.map(approvalsAt)) {
    if (hunks === undefined) {
      // Those of several people are in force together.
      if (verdict !== 'approved' || known.whole?.usedBy !== undefined) known.names.clear()
      known.hunks.clear()
      delete known.whole
    }
    if (verdict === 'approved') {
      if (hunks === undefined) known.whole = { tier: rule?.tier }
      for (const id of hunks ?? []) known.hunks.set(id, { tier: rule?.tier })
      if (reviewer !== undefined) known.names.add(reviewer.name)
    } else for (const id of hunks ?? []) known.hunks.delete(id)
  }
}

/** The approvals of a commit's paths, which it uses up. Undefined if one has none. */
function approvalsOf(
  { verdict, approved_by: approvers = [], changes = [], ...own }: Commit,
  tx: string,
  approvalsAt: (path: string) => PathApprovals,
): PathApprovals[] | undefined {
  const found = [...new Set(changes.map(({ path }) => approvalsAt(path)))]
  const used = found.map((known) => unused(known, tx))
  // A commit on this machine may still write to the disk what has landed, by the same approvals.
  if (own.type === 'undo' || own.landed === undefined) for (const each of used) if (each !== undefined) each.usedBy = tx
  return verdict === 'approved' && approvers.length > 0 && !used.includes(undefined) ? found : undefined
}

/** The approval that a commit uses up. Its record does not say which hunks it has, and it has at least one. */
function unused({ whole, hunks }: PathApprovals, tx: string): Approval | undefined {
  const all = [...(whole === undefined ? [] : [whole]), ...hunks.values()]
  return all.find(({ usedBy }) => usedBy === tx) ?? all.find(({ usedBy }) => usedBy === undefined)
}

function tiersFor(tx: string): (approvals: PathApprovals) => string[] {
  return ({ whole, hunks }) =>
    [whole, ...hunks.values()].flatMap((each) =>
      each?.tier === undefined || (each.usedBy ?? tx) !== tx ? [] : [each.tier],
    )
}

function at(paths: Map<string, PathApprovals>, key: string): PathApprovals {
  const known = paths.get(key) ?? { hunks: new Map(), names: new Set() }
  paths.set(key, known)
  return known
}

function keyOf({ session_id: session }: TraceRecord, path: string): string {
  return JSON.stringify([session, path])
}
