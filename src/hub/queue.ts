import { newId } from '../core/ids.js'
import { readBody } from './change-body.js'
import { changeKey } from './change-key.js'
import type { Clock } from './clock.js'
import { assertContents } from './contents.js'
import { HubError } from './hub-error.js'
import { appendLine } from './ledger.js'
import { readDecisions, readSubmission, readSummaries } from './queue-read.js'
import { assertHeld } from './registry.js'
import { changing, inScope, nextSeq } from './scope.js'
import { type Database, numberOf, type Query, textOf } from './sql.js'
import type { DecisionRequest, Hold, ReviewQueue, Scope, Submission, SubmittedChange } from './types.js'

export function createQueue(database: Database, scope: Scope, clock: Clock): ReviewQueue {
  return {
    submit: (hold, submission) =>
      changing(database, scope, async (query) => {
        await assertHeld(query, hold, clock)
        return submit(query, hold, submission)
      }),
    list: (order) => inScope(database, scope, (query) => readSummaries(query, order)),
    get: (id) => inScope(database, scope, (query) => readSubmission(query, id)),
    decide: (id, request, reviewer) => changing(database, scope, (query) => decide(query, id, request, reviewer)),
    since: (seq, host) => inScope(database, scope, (query) => readDecisions(query, seq, host)),
  }
}

async function submit(query: Query, hold: Hold, submission: Submission): Promise<{ id: string }> {
  const [latest] = await query.rows(
    `select id, digest, epoch::float8 as epoch, revision::float8 as revision
      from escrow.submissions where session = $1 and is_open`,
    [hold.session],
  )
  if (latest !== undefined && textOf(latest, 'digest') === submission.digest) return { id: textOf(latest, 'id') }
  const isOld =
    latest !== undefined &&
    numberOf(latest, 'epoch') === hold.epoch &&
    numberOf(latest, 'revision') >= submission.revision
  if (isOld) throw new HubError('superseded', 'A newer submission of this session has arrived already.')
  const shown = submission.changes.flatMap((change) => [change.shown?.before, change.shown?.after])
  await assertContents(
    query,
    shown.filter((digest) => typeof digest === 'string'),
  )
  return insert(query, hold, submission)
}

async function insert(query: Query, { session, epoch }: Hold, { digest, revision, changes }: Submission) {
  const id = newId()
  const risk = Math.max(0, ...changes.map((change) => change.risk))
  await query.rows('update escrow.submissions set is_open = false where session = $1 and is_open', [session])
  await query.rows(
    `insert into escrow.submissions (id, session, epoch, revision, digest, risk, seq, at, is_open)
      values ($1, $2, $3::float8::bigint, $4::float8::bigint, $5, $6, $7::float8::bigint, clock_timestamp(), true)`,
    [id, session, epoch, revision, digest, risk, await nextSeq(query)],
  )
  const rows = changes.map((change) => ({ key: changeKey(change), body: JSON.stringify(change) }))
  await query.rows(
    `insert into escrow.changes (submission, number, key, body)
      select $1, each.number, each.row ->> 'key', each.row ->> 'body'
      from json_array_elements($2::text::json) with ordinality as each (row, number)`,
    [id, JSON.stringify(rows)],
  )
  return { id }
}

async function decide(query: Query, id: string, request: DecisionRequest, reviewer: string): Promise<void> {
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
  for (const change of chosen) await record(query, { id, session, change, request, reviewer })
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

interface Verdict {
  readonly id: string
  readonly session: string
  readonly change: SubmittedChange
  readonly request: DecisionRequest
  readonly reviewer: string
}

/** Writes a decision and its line of the audit in one transaction. */
async function record(query: Query, { id, session, change, request, reviewer }: Verdict): Promise<void> {
  const { key, path } = change
  const { verdict } = request
  const reason = verdict === 'rejected' ? (request.reason ?? null) : null
  const seq = await nextSeq(query)
  await query.rows(
    `insert into escrow.decisions (seq, submission, session, key, body, verdict, reason, reviewer, at)
      values ($1::float8::bigint, $2, $3, $4, $5, $6, $7, $8, clock_timestamp())`,
    [seq, id, session, key, JSON.stringify(readBody(JSON.stringify(change))), verdict, reason, reviewer],
  )
  await appendLine(query, 'audit', { act: verdict, by: reviewer, session, submission: id, path, key, reason })
}
