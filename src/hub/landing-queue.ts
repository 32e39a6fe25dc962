import { newId } from '../core/ids.js'
import { peopleOfApprovals } from './approval.js'
import { BODY as CHANGE_BODY } from './change-body.js'
import { changeKey } from './change-key.js'
import { readDecided } from './decided.js'
import { bodyOf, keysOf, type LandingBody, pathsOf } from './landing-rows.js'
import { readSubmission } from './queue-read.js'
import { nextSeq } from './scope.js'
import { type Query, type Row, textOf } from './sql.js'
import type { SubmittedChange } from './types.js'
import { readVotes } from './votes.js'

/**
 * Queues the approved changes of a submission as one landing, if the workspace has a repository and every change has a
 * verdict. A change with a rejected hunk does not land: nobody has checked the file without it. A change is left out if
 * the session's newest landing of its paths already contains it.
 * @param isAsked whether a person has just decided; else a landing that a worker has evicted is not tried again with
 *   the same bytes
 */
export async function queueLanding(query: Query, submission: string, isAsked: boolean): Promise<void> {
  const [repository] = await query.rows('select 1 as found from escrow.repositories')
  if (repository === undefined) return
  const { session, isOpen, changes } = await readSubmission(query, submission)
  if (!isOpen || changes.some(({ verdict }) => verdict === undefined)) return
  const earlier = await query.rows(
    `select keys, body, state from escrow.landings where session = $1 and state <> 'withdrawn' order by seq`,
    [session],
  )
  const newest = newestByPath(earlier.filter(({ state }) => state !== 'evicted'))
  const isQueued = (change: SubmittedChange) => pathsOf(change).every((path) => newest.get(path) === change.key)
  const chosen = changes.filter((change) => change.verdict === 'approved' && !isQueued(change))
  if (chosen.length === 0) return
  const keys = JSON.stringify(chosen.map(({ key }) => key).sort())
  if (!isAsked && earlier.some((row) => row.state === 'evicted' && row.keys === keys)) return
  const reviewers = await reviewersOf(
    query,
    session,
    chosen.map(({ key }) => key),
  )
  const body: LandingBody = { changes: chosen.map((change) => CHANGE_BODY.parse(change)), reviewers }
  await query.rows(
    `insert into escrow.landings (id, seq, session, submission, keys, body, state, at)
      values ($1, $2::float8::bigint, $3, $4, $5, $6, 'waiting', clock_timestamp())`,
    [newId(), await nextSeq(query), session, submission, keys, JSON.stringify(body)],
  )
  await query.rows('update escrow.repositories set is_due = true')
}

/** For each path, the key of the newest change in these landings. It has replaced older changes of the path on the branch. */
function newestByPath(landings: readonly Row[]): ReadonlyMap<string, string> {
  const changes = landings.flatMap((row) => bodyOf(row).changes)
  return new Map(changes.flatMap((change) => pathsOf(change).map((path) => [path, changeKey(change)] as const)))
}

/** Everybody who approved some of the changes. With rules, a decision has only the last name. */
async function reviewersOf(query: Query, session: string, keys: readonly string[]): Promise<string[]> {
  const decided = await readDecided(query, session, keys)
  const decisions = [...decided.values()].flatMap(({ whole, hunks }) => [...(whole ? [whole] : []), ...hunks.values()])
  const votes = [...(await readVotes(query, session, keys)).values()].flat()
  return [...new Set([...decisions.map(({ reviewer }) => reviewer), ...peopleOfApprovals(votes)])].sort()
}

/** Withdraws a session's landings that no worker has taken and that have a change which may not land any more. */
export async function withdraw(query: Query, session: string, isStale: (key: string) => boolean): Promise<void> {
  const rows = await query.rows(`select id, keys from escrow.landings where session = $1 and state = 'waiting'`, [
    session,
  ])
  for (const row of rows.filter((each) => keysOf(each).some(isStale)))
    await query.rows(`update escrow.landings set state = 'withdrawn' where id = $1`, [textOf(row, 'id')])
}
