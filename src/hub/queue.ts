import { newId } from '../core/ids.js'
import { changeKey } from './change-key.js'
import type { Clock } from './clock.js'
import { assertContents } from './contents.js'
import { decide } from './decide.js'
import { HubError } from './hub-error.js'
import { queueLanding, withdraw } from './landing-queue.js'
import { readDecisions, readSubmission, readSummaries } from './queue-read.js'
import { assertHeld } from './registry.js'
import { changing, inScope, nextSeq } from './scope.js'
import { type Database, numberOf, type Query, textOf } from './sql.js'
import type { Hold, ReviewQueue, Scope, Submission } from './types.js'

export function createQueue(database: Database, scope: Scope, clock: Clock): ReviewQueue {
  return {
    submit: (hold, submission) =>
      changing(database, scope, async (query) => {
        await assertHeld(query, hold, clock)
        return submit(query, hold, submission)
      }),
    list: (order) => inScope(database, scope, (query) => readSummaries(query, order)),
    get: (id) => inScope(database, scope, (query) => readSubmission(query, id)),
    decide: (id, request, reviewer, proof = {}) =>
      changing(database, scope, async (query) => {
        const { session } = await readSubmission(query, id)
        await decide(query, { id, request, reviewer, proof })
        // A landing that no worker has taken must not outlive a rejection.
        const keys = [...request.keys, ...(request.hunks ?? []).map(({ key }) => key)]
        if (request.verdict === 'rejected') await withdraw(query, session, (key) => keys.includes(key))
        await queueLanding(query, id, true)
      }),
    since: (seq, host) => inScope(database, scope, (query) => readDecisions(query, seq, host)),
  }
}

async function submit(query: Query, hold: Hold, submission: Submission): Promise<{ id: string }> {
  const [latest] = await query.rows(
    `select id, digest, epoch::float8 as epoch, revision::float8 as revision
      from escrow.submissions where session = $1 and is_open`,
    [hold.session],
  )
  const isOld =
    latest !== undefined &&
    numberOf(latest, 'epoch') === hold.epoch &&
    numberOf(latest, 'revision') >= submission.revision
  if (latest !== undefined && textOf(latest, 'digest') === submission.digest) {
    if (!isOld) await renew(query, textOf(latest, 'id'), hold, submission)
    return { id: textOf(latest, 'id') }
  }
  if (isOld) throw new HubError('superseded', 'A newer submission of this session has arrived already.')
  const digests = submission.changes.flatMap((change) => [change.shown?.before, change.shown?.after])
  await assertContents(
    query,
    digests.filter((digest) => typeof digest === 'string'),
  )
  return insert(query, hold, submission)
}

/**
 * Gives a change set that was submitted again its newer number, so that an older change set that arrives late cannot
 * replace it.
 */
async function renew(query: Query, id: string, { epoch }: Hold, { revision }: Submission): Promise<void> {
  await query.rows(
    'update escrow.submissions set epoch = $2::float8::bigint, revision = $3::float8::bigint where id = $1',
    [id, epoch, revision],
  )
}

async function insert(query: Query, { session, epoch }: Hold, { digest, revision, changes, facts }: Submission) {
  const id = newId()
  const risk = Math.max(0, ...changes.map((change) => change.risk))
  await query.rows('update escrow.submissions set is_open = false where session = $1 and is_open', [session])
  await query.rows(
    `insert into escrow.submissions (id, session, epoch, revision, digest, risk, seq, facts, at, is_open)
      values ($1, $2, $3::float8::bigint, $4::float8::bigint, $5, $6, $7::float8::bigint, $8, clock_timestamp(), true)`,
    [
      ...[id, session, epoch, revision, digest, risk, await nextSeq(query)],
      facts === undefined ? null : JSON.stringify(facts),
    ],
  )
  const rows = changes.map((change) => ({ key: changeKey(change), body: JSON.stringify(change) }))
  await query.rows(
    `insert into escrow.changes (submission, number, key, body)
      select $1, each.number, each.row ->> 'key', each.row ->> 'body'
      from json_array_elements($2::text::json) with ordinality as each (row, number)`,
    [id, JSON.stringify(rows)],
  )
  const keys = new Set(rows.map(({ key }) => key))
  await withdraw(query, session, (key) => !keys.has(key))
  await queueLanding(query, id, false)
  return { id }
}
