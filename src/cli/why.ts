import { defined } from '../core/defined.js'
import { type CallJudge, type Explanation, type Intent, openJudges, type Workspace } from '../index.js'
import { PASSES, type Remedy, refusalsOf, relativeName, toHistoryEntry } from '../surface/index.js'
import { knownIntent } from './intents/known.js'
import { remediesIn } from './remedies.js'

/** What decides about a path, and what happened to it. */
export interface Findings {
  /** Relative to the root. */
  readonly path: string
  readonly write: Explanation
  readonly read: Explanation
  /** The intent that a write would be for. */
  readonly intent?: Intent
  /** Ids of the intents that can be selected and may change the path. */
  readonly owners: readonly string[]
  readonly staged: readonly { readonly session: string; readonly state: string; readonly flags: readonly string[] }[]
  readonly quarantined: readonly {
    readonly session: string
    readonly at: string
    readonly reason: string
    readonly intentId?: string
  }[]
  /** By the ledger, oldest first. */
  readonly refused: readonly PastRefusal[]
  /** How to allow a write. */
  readonly remedies: readonly Remedy[]
}

/** A refusal in the ledger. */
export interface PastRefusal {
  /** ISO 8601. */
  readonly at: string
  readonly session?: string
  readonly intent?: string
  readonly reason: string
}

interface Asked {
  readonly session?: string
  readonly intent?: string
}

/** The session that a question without one is asked for. It need not exist. */
const NOBODY = 'why'

/** Rejects for a session or an intent that is not there. */
export async function explainPath(
  workspace: Workspace,
  given: string,
  { session, intent: wanted }: Asked,
): Promise<Findings> {
  if (session !== undefined) await workspace.review(session)
  if (wanted !== undefined) await knownIntent(workspace, wanted)
  const path = relativeName(given, workspace.root).replace(/(?<=.)\/+$/, '')
  const open = openJudges(workspace.root)
  const judgeFor = (intent: string | undefined) => open({ session: session ?? NOBODY, ...defined({ intent }) })
  const judge = await judgeFor(wanted)
  const [write, read, { intent }] = [judge.explain(path, 'write'), judge.explain(path, 'read'), judge]
  const owners = await ownersOf(path, judge, judgeFor)
  const { staged, quarantined } = await whereabouts(workspace, path)
  return {
    path,
    write,
    read,
    ...defined({ intent }),
    owners,
    staged,
    quarantined,
    refused: await refusalsAt(workspace, path),
    remedies: await remediesOf(workspace, { path, write, intent, owners, quarantined }),
  }
}

async function ownersOf(
  path: string,
  judge: CallJudge,
  judgeFor: (intent: string) => Promise<CallJudge>,
): Promise<string[]> {
  const owners: string[] = []
  for (const { id } of await judge.intents())
    if ((await judgeFor(id)).explain(path, 'write').verdict === 'stage') owners.push(id)
  return owners
}

async function whereabouts(workspace: Workspace, path: string): Promise<Pick<Findings, 'staged' | 'quarantined'>> {
  const staged: Findings['staged'][number][] = []
  const quarantined: Findings['quarantined'][number][] = []
  for (const { id: session, damaged, changes } of await workspace.sessions()) {
    if (damaged !== undefined) continue
    const review = await workspace.review(session)
    for (const change of changes === 0 ? [] : (await review.changes()).changes)
      if (change.path === path || change.from === path)
        staged.push({ session, state: change.state, flags: change.flags })
    for (const { at, reason, intentId, ...kept } of await review.quarantined())
      if (kept.path === path) quarantined.push({ session, at, reason, ...defined({ intentId }) })
  }
  return { staged, quarantined }
}

async function refusalsAt({ ledger }: Workspace, path: string): Promise<PastRefusal[]> {
  const found: PastRefusal[] = []
  for await (const record of ledger.records()) {
    const { at = '-', sessionId: session, intentId: intent } = toHistoryEntry(record)
    for (const { path: refused, reason } of refusalsOf(record))
      if (refused === path) found.push({ at, ...defined({ session, intent }), reason })
  }
  return found
}

type Decided = Pick<Findings, 'path' | 'write' | 'owners' | 'quarantined'> & { readonly intent: Intent | undefined }

/** What allows a write now; and where the path waits in a quarantine, what stages it. */
async function remediesOf(
  workspace: Workspace,
  { path, write, intent, owners, quarantined }: Decided,
): Promise<Remedy[]> {
  const kept = quarantined.at(-1)
  const denial = write.rules.find(({ verdict }) => verdict === 'deny')
  if (denial === undefined && kept === undefined) return []
  const refused = {
    path,
    reason: write.reason ?? PASSES,
    ...(intent !== undefined && { intentId: intent.id }),
    ...(denial?.source !== undefined && { source: denial.source }),
  }
  const where = kept === undefined ? {} : { session: kept.session, isKept: true }
  return remediesIn(workspace, [refused], { ...where, prefer: owners })
}
