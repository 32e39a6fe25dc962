import { defined } from '../core/defined.js'
import { Approval, type Vote } from './approval.js'
import { votesOn } from './by-hunk.js'
import { readBody } from './change-body.js'
import { type Decided, outcomeOf, readDecided, UNDECIDED, withDecision } from './decided.js'
import { HubError } from './hub-error.js'
import { readHunks } from './hunks.js'
import { appendLine } from './ledger.js'
import { readSubmission } from './queue-read.js'
import { readRules } from './review-rules.js'
import { nextSeq } from './scope.js'
import type { Query } from './sql.js'
import type { DecisionRequest, Outcome, Proof, SubmittedChange } from './types.js'
import { assertMayDecide, insertVote, readVotes } from './votes.js'

export interface Deciding {
  readonly id: string
  readonly request: DecisionRequest
  readonly reviewer: string
  readonly proof: Proof
}

/** Records a vote on each chosen change, and a decision on each that the votes decide. Call it with the lock of the workspace. */
export async function decide(query: Query, deciding: Deciding): Promise<void> {
  const { id, request, proof } = deciding
  await assertMayDecide(query, proof)
  const { session, isOpen, changes } = await readSubmission(query, id)
  if (!isOpen)
    throw new HubError(
      'superseded',
      'The agent has changed its work since. Look at the newest submission. Nothing was recorded.',
    )
  const chosen = await choose(query, changes, request)
  assertDecidable(chosen, request)
  for (const each of chosen) await vote(query, session, each, deciding)
  const approval = new Approval(await readRules(query))
  const keys = chosen.map(({ change }) => change.key)
  const votes = await readVotes(query, session, keys)
  const decided = await readDecided(query, session, keys)
  for (const each of chosen) {
    const { key } = each.change
    const known = { votes: votes.get(key) ?? [], decided: decided.get(key) ?? UNDECIDED, approval }
    await settle(query, session, each, known, deciding)
  }
}

/** A chosen change, or chosen hunks of it. */
interface Chosen {
  readonly change: SubmittedChange
  readonly hunks?: readonly string[]
}

async function choose(
  query: Query,
  changes: readonly SubmittedChange[],
  { keys, hunks = [] }: DecisionRequest,
): Promise<Chosen[]> {
  const find = (key: string) => {
    const change = changes.find((each) => each.key === key)
    if (change !== undefined) return change
    throw new HubError('not_found', 'The submission has no such change. Nothing was recorded.')
  }
  const chosen: Chosen[] = [...new Set(keys)].map((key) => ({ change: find(key) }))
  for (const { key, ids } of hunks) {
    const change = find(key)
    const known = await readHunks(query, change)
    if (ids.length === 0 || !ids.every((id) => known.includes(id)))
      throw new HubError('not_found', `${change.path} has no such hunk to decide on. Nothing was recorded.`)
    chosen.push({ change, hunks: known.filter((id) => ids.includes(id)) })
  }
  if (chosen.length === 0) throw new HubError('invalid', 'Select at least one file or hunk. Nothing was recorded.')
  if (new Set(chosen.map(({ change }) => change)).size < chosen.length)
    throw new HubError('invalid', 'Choose a file, or hunks of it, not both. Nothing was recorded.')
  return chosen
}

function assertDecidable(chosen: readonly Chosen[], { verdict, reason = '' }: DecisionRequest): void {
  if (verdict === 'rejected' && reason.trim() === '')
    throw new HubError('invalid', 'A rejection needs a reason for the agent. Nothing was recorded.')
  const unseen = verdict === 'approved' ? chosen.find(({ change }) => change.shown === undefined)?.change : undefined
  if (unseen !== undefined)
    throw new HubError(
      'refused',
      `${unseen.path} is too large to show here. Approve it on its machine. Nothing was recorded.`,
    )
}

/** Writes a vote and its line of the audit. */
async function vote(query: Query, session: string, { change, hunks }: Chosen, deciding: Deciding): Promise<void> {
  const { id, request, reviewer, proof } = deciding
  const { key, path } = change
  const { verdict } = request
  const reason = reasonOf(request)
  await insertVote(query, { submission: id, session, key, verdict, reason, hunks, name: reviewer, proof })
  await appendLine(query, 'audit', {
    act: verdict,
    by: reviewer,
    session,
    submission: id,
    path,
    key,
    ...defined({ hunks }),
    reason,
    ...defined({ subject: proof.subject }),
  })
}

/** The votes on a change and their results, after a vote. */
interface Known {
  readonly votes: readonly Vote[]
  readonly decided: Decided
  readonly approval: Approval
}

/** Records the decision of the votes on a chosen change, and the resulting state of the whole change. */
async function settle(query: Query, session: string, chosen: Chosen, known: Known, deciding: Deciding): Promise<void> {
  const { votes, decided } = known
  const isByHunk = chosen.hunks !== undefined || votes.some(({ hunks }) => hunks !== undefined)
  const all = isByHunk ? await readHunks(query, chosen.change) : []
  const part = decidedPart(chosen, all, known, deciding.request.verdict)
  if (part === undefined) return
  const { request, reviewer } = deciding
  const outcome = outcomeOf(withDecision(decided, { verdict: request.verdict, reviewer }, part.hunks), all)
  await record(query, session, { change: chosen.change, hunks: part.hunks, outcome }, deciding)
}

/** The part of a chosen change that the votes decide. Undefined: nothing of it. A part without hunks is the whole change. */
function decidedPart(
  { change, hunks }: Chosen,
  all: readonly string[],
  { votes, approval }: Known,
  verdict: DecisionRequest['verdict'],
): Pick<Chosen, 'hunks'> | undefined {
  if (verdict === 'rejected') return defined({ hunks })
  const isApproved = (hunk?: string) => approval.missing(change, votesOn(votes, hunk, all)) === undefined
  if (all.length === 0) return isApproved() ? {} : undefined
  const approved = (hunks ?? all).filter((hunk) => isApproved(hunk))
  if (approved.length === 0) return undefined
  return hunks === undefined && approved.length === all.length ? {} : { hunks: approved }
}

interface NewDecision {
  readonly change: SubmittedChange
  readonly hunks: readonly string[] | undefined
  readonly outcome: Outcome
}

/** Writes a decision, which the session's machine gets. */
async function record(query: Query, session: string, decision: NewDecision, deciding: Deciding): Promise<void> {
  const { change, hunks, outcome } = decision
  const { id, request, reviewer } = deciding
  const seq = await nextSeq(query)
  await query.rows(
    `insert into escrow.decisions (seq, submission, session, key, body, verdict, reason, reviewer, hunks, outcome, at)
      values ($1::float8::bigint, $2, $3, $4, $5, $6, $7, $8, $9, $10, clock_timestamp())`,
    [
      ...[seq, id, session, change.key, JSON.stringify(readBody(JSON.stringify(change))), request.verdict],
      ...[reasonOf(request), reviewer, hunks === undefined ? null : JSON.stringify(hunks), outcome],
    ],
  )
}

function reasonOf({ verdict, reason }: DecisionRequest): string | null {
  return verdict === 'rejected' ? (reason ?? null) : null
}
