import type { Ledger, TraceRecord } from '../core/api.js'
import { type OwnRecordOf, ownRecordOf } from '../trace/index.js'

/** Which commits of a ledger were approved, and by which rules. */
export interface Approvals {
  /** The ids of commit records with reviewers and an approval in force for each of their paths. */
  readonly commits: ReadonlySet<string>
  /** The tiers that approved paths in place of a person, by the id of the commit record. */
  readonly tiers: ReadonlyMap<string, ReadonlySet<string>>
}

/** The tier of the rule that approved; undefined: a person did. */
type Tier = string | undefined

/** The approvals in force on one path of a session. */
interface PathApprovals {
  /** The approver of the whole change; absent if there is none. */
  whole?: { readonly tier: Tier }
  /** Hunk → the approver of this hunk alone. */
  readonly hunks: Map<string, Tier>
}

/**
 * Reads a ledger's verdicts in order. A rejection, or the withdrawal of a verdict, by anybody ends the approvals before it, until somebody
 * approves again. One of hunks ends only the approvals of these hunks: the rest of the file may still be committed.
 */
export async function readApprovals(ledger: Ledger): Promise<Approvals> {
  const paths = new Map<string, PathApprovals>()
  const commits = new Set<string>()
  const tiers = new Map<string, Set<string>>()
  for await (const record of ledger.records()) {
    const verdict = ownRecordOf(record, 'verdict')
    if (verdict !== undefined) apply(verdict, (path) => at(paths, keyOf(record, path)))
    const commit = ownRecordOf(record, 'commit')
    const { approved_by: approvers = [], changes = [] } = commit ?? {}
    if (commit?.verdict !== 'approved' || approvers.length === 0) continue
    const approvals = changes.map(({ path }) => paths.get(keyOf(record, path)))
    if (!approvals.every((each) => each !== undefined && isApproved(each))) continue
    commits.add(String(record.id))
    tiers.set(String(record.id), new Set(approvals.flatMap((each) => (each === undefined ? [] : tiersOf(each)))))
  }
  return { commits, tiers }
}

function apply(
  { verdict, question, paths = [], hunks, rule }: OwnRecordOf<'verdict'>,
  approvalsOf: (path: string) => PathApprovals,
): void {
  // An answer to a question approves no content, although it may name a path.
  if (verdict == null || question !== undefined) return
  for (const known of paths.map(approvalsOf)) {
    if (verdict === 'approved' && hunks === undefined) known.whole = { tier: rule?.tier }
    else if (verdict === 'approved') for (const id of hunks ?? []) known.hunks.set(id, rule?.tier)
    else if (hunks === undefined) {
      delete known.whole
      known.hunks.clear()
    } else for (const id of hunks) known.hunks.delete(id)
  }
}

function isApproved({ whole, hunks }: PathApprovals): boolean {
  return whole !== undefined || hunks.size > 0
}

function tiersOf({ whole, hunks }: PathApprovals): string[] {
  return [whole?.tier, ...hunks.values()].filter((tier) => tier !== undefined)
}

function at(paths: Map<string, PathApprovals>, key: string): PathApprovals {
  const known = paths.get(key) ?? { hunks: new Map() }
  paths.set(key, known)
  return known
}

function keyOf({ session_id: session }: TraceRecord, path: string): string {
  return JSON.stringify([session, path])
}
