import { defined } from '../core/defined.js'
import { Approval } from './approval.js'
import { readBody } from './change-body.js'
import { HubError } from './hub-error.js'
import { appendLine } from './ledger.js'
import { readSubmission } from './queue-read.js'
import { readRules } from './review-rules.js'
import { nextSeq } from './scope.js'
import type { Query } from './sql.js'
import type { DecisionRequest, Proof, SubmittedChange } from './types.js'
import { assertNotRevoked, insertVote, readVotes } from './votes.js'

export interface Deciding {
  readonly id: string
  readonly request: DecisionRequest
  readonly reviewer: string
  readonly proof: Proof
}

/** Records a vote on each chosen change, and a decision on each that the votes decide. Call it with the lock of the workspace. */
export async function decide(query: Query, deciding: Deciding): Promise<void> {
  const { id, request, proof } = deciding
  await assertNotRevoked(query, proof)
  const { session, isOpen, changes } = await readSubmission(query, id)
  if (!isOpen)
    throw new HubError(
      'superseded',
      'The agent has changed its work since. Look at the newest submission. Nothing was recorded.',
    )
  const chosen = request.keys.map((key) => {
    const change = changes.find((each) => each.key === key)
    if (change === undefined)
      throw new HubError('not_found', 'The submission has no such change. Nothing was recorded.')
    return change
  })
  if (chosen.length === 0) throw new HubError('invalid', 'Choose at least one file. Nothing was recorded.')
  assertDecidable(chosen, request)
  for (const change of chosen) await vote(query, session, change, deciding)
  const approval = new Approval(await readRules(query))
  const votes = await readVotes(query, session, request.keys)
  for (const change of chosen)
    if (request.verdict === 'rejected' || approval.missing(change, votes.get(change.key) ?? []) === undefined)
      await record(query, session, change, deciding)
}

function assertDecidable(chosen: readonly SubmittedChange[], { verdict, reason = '' }: DecisionRequest): void {
  if (verdict === 'rejected' && reason.trim() === '')
    throw new HubError('invalid', 'A rejection needs a reason for the agent. Nothing was recorded.')
  const unseen = verdict === 'approved' ? chosen.find(({ shown }) => shown === undefined) : undefined
  if (unseen !== undefined)
    throw new HubError(
      'refused',
      `${unseen.path} is too large to show here. Approve it on its machine. Nothing was recorded.`,
    )
}

/** Writes a vote and its line of the audit. */
async function vote(query: Query, session: string, { key, path }: SubmittedChange, deciding: Deciding): Promise<void> {
  const { id, request, reviewer, proof } = deciding
  const { verdict } = request
  const reason = reasonOf(request)
  await insertVote(query, { submission: id, session, key, verdict, reason, name: reviewer, proof })
  await appendLine(query, 'audit', {
    act: verdict,
    by: reviewer,
    session,
    submission: id,
    path,
    key,
    reason,
    ...defined({ subject: proof.subject }),
  })
}

/** Writes a decision, which the session's machine gets. */
async function record(query: Query, session: string, change: SubmittedChange, deciding: Deciding): Promise<void> {
  const { id, request, reviewer } = deciding
  const seq = await nextSeq(query)
  await query.rows(
    `insert into escrow.decisions (seq, submission, session, key, body, verdict, reason, reviewer, at)
      values ($1::float8::bigint, $2, $3, $4, $5, $6, $7, $8, clock_timestamp())`,
    [
      ...[seq, id, session, change.key, JSON.stringify(readBody(JSON.stringify(change))), request.verdict],
      ...[reasonOf(request), reviewer],
    ],
  )
}

function reasonOf({ verdict, reason }: DecisionRequest): string | null {
  return verdict === 'rejected' ? (reason ?? null) : null
}
