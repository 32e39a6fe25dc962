import { defined } from '../core/defined.js'
import { type CallJudge, type Explanation, type Intent, openJudges, type Workspace } from '../index.js'
import { PASSES, type Remedy, refusalsOf, relativeName, toHistoryEntry } from '../surface/index.js'
import { requireIntent } from './intents/require-intent.js'
import { remediesIn } from './remedies.js'

/** The decisions about a path, and its history. */
export interface Findings {
  /** Relative to the root. */
  readonly path: string
  readonly write: Explanation
  readonly read: Explanation
  /** The intent of a write. */
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
  /** Refusals in the ledger, oldest first. */
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

interface ExplainOptions {
  readonly session?: string
  readonly intent?: string
}

/** The session id for explanations without a session. It need not exist. */
const DEFAULT_SESSION = 'why'

/** Explains the decisions about a path. Rejects for an unknown session or intent. */
export async function explainPath(
  workspace: Workspace,
  typed: string,
  { session, intent: intentId }: ExplainOptions,
): Promise<Findings> {
  if (session !== undefined) await workspace.review(session)
  if (intentId !== undefined) await requireIntent(workspace, intentId)
  const path = relativeName(typed, workspace.root).replace(/(?<=.)\/+$/, '')
  const open = openJudges(workspace.root)
  const judgeFor = (intent: string | undefined) => open({ session: session ?? DEFAULT_SESSION, ...defined({ intent }) })
  const { staged, quarantined } = await findInSessions(workspace, path)
  const refused = await refusalsAt(workspace, path)
  const selected = await judgeFor(intentId)
  const judge =
    selected.intent === undefined ? await judgeFor(await lastIntent(selected, quarantined, refused)) : selected
  const owners = await ownersOf(path, judge, judgeFor)
  const [write, read, { intent }] = [judge.explain(path, 'write'), judge.explain(path, 'read'), judge]
  return {
    path,
    write,
    read,
    ...defined({ intent }),
    owners,
    staged,
    quarantined,
    refused,
    remedies: await remediesOf(workspace, { path, write, intent, owners, quarantined }),
  }
}

/**
 * Returns the intent of the last refusal of a path, if that intent is declared. It is used if no intent is selected, as
 * after `escrow start`.
 */
async function lastIntent(
  judge: CallJudge,
  quarantined: Findings['quarantined'],
  refused: readonly PastRefusal[],
): Promise<string | undefined> {
  const last = quarantined.at(-1)?.intentId ?? refused.at(-1)?.intent
  return (await judge.intents()).some(({ id }) => id === last) ? last : undefined
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

async function findInSessions(workspace: Workspace, path: string): Promise<Pick<Findings, 'staged' | 'quarantined'>> {
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
    for (const { path: refused, reason } of refusalsOf(record)) {
      if (refused !== path) continue
      const { at = '-', sessionId: session, intentId: intent } = toHistoryEntry(record)
      found.push({ at, ...defined({ session, intent }), reason })
    }
  }
  return found
}

type Decided = Pick<Findings, 'path' | 'write' | 'owners' | 'quarantined'> & { readonly intent: Intent | undefined }

/** Remedies that allow the write, and that stage the path if it is in quarantine. */
async function remediesOf(
  workspace: Workspace,
  { path, write, intent, owners, quarantined }: Decided,
): Promise<Remedy[]> {
  const last = quarantined.at(-1)
  const denial = write.rules.find(({ verdict }) => verdict === 'deny')
  if (denial === undefined && last === undefined) return []
  const refused = {
    path,
    reason: write.reason ?? PASSES,
    ...(intent !== undefined && { intentId: intent.id }),
    ...(denial?.source !== undefined && { source: denial.source }),
  }
  const where = last === undefined ? {} : { session: last.session, isKept: true }
  return remediesIn(workspace, [refused], { ...where, prefer: owners })
}
