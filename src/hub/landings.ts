import { defined } from '../core/defined.js'
import { changeKey } from './change-key.js'
import { type Clock, nowAsSql } from './clock.js'
import { HubError } from './hub-error.js'
import { queueLanding } from './landing-queue.js'
import {
  bodyOf,
  LANDING_COLUMNS,
  landingOf,
  pathsOf,
  REPOSITORY_COLUMNS,
  repositoryOf,
  TURN_MS,
} from './landing-rows.js'
import { appendLine } from './ledger.js'
import { changing, inScope, nextSeq } from './scope.js'
import { type Database, maybeTextOf, type Query, textOf } from './sql.js'
import type { Landing, LandingEnd, LandingQueue, OpenLanding, Scope, Turn } from './types.js'

/** The most landings on the page. */
const SHOWN = 50
/** The most landings that one worker considers. */
const AHEAD = 200

export function createLandings(database: Database, scope: Scope, clock: Clock): LandingQueue {
  const inTurn = <T>(turn: Turn, work: (query: Query) => Promise<T>) =>
    changing(database, scope, async (query) => {
      await assertTurn(query, turn, clock)
      return work(query)
    })
  return {
    begin: (turn, limit) => inTurn(turn, (query) => begin(query, limit)),
    renew: (turn, landings = []) =>
      inTurn(turn, async (query) => {
        for (const each of landings) if (!(await mayLand(query, each))) return false
        return true
      }),
    end: (turn, ends) =>
      changing(database, scope, async (query) => {
        const isFenced = await assertTurn(query, turn, clock).then(
          () => false,
          (error: unknown) => {
            // A pushed landing is on the branch, whichever worker has the turn now.
            if (ends.every(({ state }) => state === 'landed')) return true
            throw error
          },
        )
        for (const each of ends) await end(query, turn, each, isFenced)
      }),
    pause: (turn, problem, milliseconds) =>
      inTurn(turn, async (query) => {
        await query.rows(
          `update escrow.repositories set problem = $1, worker = null,
            until = ${nowAsSql(3)} + $2::float8 * interval '1 millisecond'`,
          [problem, milliseconds, clock()],
        )
        await query.rows(`update escrow.landings set state = 'waiting' where state = 'landing'`)
      }),
    list: () =>
      inScope(database, scope, async (query) => {
        const rows = await query.rows(
          `select ${LANDING_COLUMNS} from escrow.landings where state <> 'withdrawn' order by seq desc limit ${SHOWN}`,
        )
        return rows.map(landingOf)
      }),
    repository: () =>
      inScope(database, scope, async (query) => {
        const [row] = await query.rows(`select ${REPOSITORY_COLUMNS}, problem from escrow.repositories`)
        return row === undefined
          ? undefined
          : Object.assign(repositoryOf(row), defined({ problem: maybeTextOf(row, 'problem') }))
      }),
  }
}

/** Fails unless the worker has the turn now. Extends it. */
async function assertTurn(query: Query, { worker, epoch }: Turn, clock: Clock): Promise<void> {
  const rows = await query.rows(
    `update escrow.repositories set until = ${nowAsSql(3)} + interval '${TURN_MS} milliseconds'
      where worker = $1 and epoch = $2::float8::bigint and until > ${nowAsSql(3)} returning 1 as held`,
    [worker, epoch, clock()],
  )
  if (rows.length === 0) throw new HubError('fenced', 'The turn has passed to another worker, or is over.')
}

async function begin(query: Query, limit: number): Promise<OpenLanding[]> {
  const rows = await query.rows(
    `select ${LANDING_COLUMNS} from escrow.landings where state in ('waiting', 'landing') order by seq limit ${AHEAD}`,
  )
  if (rows.length === 0) {
    // The lock of the workspace keeps a landing from being queued in between.
    await query.rows(
      `update escrow.repositories set is_due = false, problem = null, worker = null, until = '-infinity'`,
    )
    return []
  }
  const chosen = chooseDisjoint(rows.map(landingOf)).slice(0, limit)
  for (const { id } of chosen)
    await query.rows(`update escrow.landings set state = 'landing', attempts = attempts + 1 where id = $1`, [id])
  const open: OpenLanding[] = []
  for (const landing of chosen)
    open.push(
      Object.assign({ own: await ownVersions(query, landing), mayLand: await mayLand(query, landing) }, landing),
    )
  return open
}

/** Whether every change is still approved. After a worker took the landing, a person may have rejected a change, or the agent replaced it. */
async function mayLand(query: Query, { session, changes }: Landing): Promise<boolean> {
  const rows = await query.rows(
    `select changes.key from escrow.submissions join escrow.changes on changes.submission = submissions.id
      where submissions.session = $1 and is_open and (
        select coalesce(outcome, verdict) from escrow.decisions
        where decisions.session = $1 and decisions.key = changes.key order by decisions.seq desc limit 1) = 'approved'`,
    [session],
  )
  const approved = new Set(rows.map((row) => textOf(row, 'key')))
  return changes.every((change) => approved.has(changeKey(change)))
}

/** The landings that share no path with one before them, so that those which do keep their order. */
function chooseDisjoint(landings: readonly Landing[]): Landing[] {
  const taken = new Set<string>()
  const above = new Set<string>()
  return landings.filter(({ changes }) => {
    const paths = changes.flatMap(pathsOf)
    const isFree = paths.every((path) => !above.has(path) && !prefixesOf(path).some((each) => taken.has(each)))
    for (const path of paths) {
      taken.add(path)
      for (const each of prefixesOf(path)) above.add(each)
    }
    return isFree
  })
}

/** A path and the directories above it. */
function prefixesOf(path: string): string[] {
  const segments = path.split('/')
  return segments.map((_, at) => segments.slice(0, at + 1).join('/'))
}

/** The digests that the session's own earlier landings left at its paths. Later landings replace earlier ones. */
async function ownVersions(query: Query, { session }: Landing): Promise<Map<string, string | null>> {
  const rows = await query.rows(
    `select body from escrow.landings where session = $1 and state = 'landed' order by news`,
    [session],
  )
  const own = new Map<string, string | null>()
  for (const { path, from, after } of rows.flatMap((row) => bodyOf(row).changes)) {
    if (from !== undefined) own.set(from, null)
    own.set(path, after)
  }
  return own
}

async function end(query: Query, { branch, worker }: Turn, ended: LandingEnd, isFenced: boolean): Promise<void> {
  const commit = ended.state === 'landed' ? ended.commit : null
  const [reason, paths] = ended.state === 'evicted' ? [ended.reason, JSON.stringify(ended.paths)] : [null, null]
  const states = ended.state === 'landed' ? `('waiting', 'landing', 'evicted', 'withdrawn')` : `('landing')`
  const [row] = await query.rows(
    `update escrow.landings set state = $2, branch = $3, commit_id = $4, reason = $5, paths = $6,
        news = $7::float8::bigint
      where id = $1 and state in ${states} returning session, keys`,
    [ended.id, ended.state, branch, commit, reason, paths, await nextSeq(query)],
  )
  if (row === undefined) return
  const session = textOf(row, 'session')
  const by = isFenced ? `${worker}, after its turn` : worker
  await appendLine(query, 'audit', {
    act: ended.state,
    by,
    session,
    landing: ended.id,
    branch,
    commit,
    reason,
  })
  if (ended.state === 'withdrawn') await queueAgain(query, session)
}

/** After a landing was withdrawn, queues its changes that are still approved, or approved again. */
async function queueAgain(query: Query, session: string): Promise<void> {
  const [row] = await query.rows('select id from escrow.submissions where session = $1 and is_open', [session])
  if (row !== undefined) await queueLanding(query, textOf(row, 'id'), true)
}
