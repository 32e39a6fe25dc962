import { z } from 'zod'
import { defined } from '../core/defined.js'
import { BODY as CHANGE_BODY } from './change-body.js'
import { changeKey } from './change-key.js'
import { maybeTextOf, numberOf, type Query, type Row, textOf } from './sql.js'
import type { Landing, LandingNews, LandingState, QueuedChange, Repository } from './types.js'

const CHECKS = z.array(z.object({ run: z.string(), timeout: z.number().exactOptional() }))
/** Milliseconds for which a worker keeps its turn without renewing it. A call of git takes less time. */
export const TURN_MS = 600_000
export const LANDING_COLUMNS = `id, session, submission, body, state, attempts::float8 as attempts, branch, commit_id, reason, at::text as at`

const BODY = z.object({ changes: z.array(CHANGE_BODY), reviewers: z.array(z.string()) })
const KEYS = z.array(z.string())

export interface LandingBody {
  readonly changes: readonly QueuedChange[]
  readonly reviewers: readonly string[]
}

export function bodyOf(row: Row): LandingBody {
  return BODY.parse(JSON.parse(textOf(row, 'body')))
}

export function keysOf(row: Row): string[] {
  return KEYS.parse(JSON.parse(textOf(row, 'keys')))
}

/** The paths that a change changes. */
export function pathsOf({ path, from }: QueuedChange): string[] {
  return from === undefined ? [path] : [path, from]
}

export const REPOSITORY_COLUMNS = 'tenant, workspace, url, branch, directory, checks'

export function repositoryOf(row: Row): Repository {
  return {
    tenant: textOf(row, 'tenant'),
    workspace: textOf(row, 'workspace'),
    url: textOf(row, 'url'),
    branch: textOf(row, 'branch'),
    directory: textOf(row, 'directory'),
    checks: CHECKS.parse(JSON.parse(textOf(row, 'checks'))),
  }
}

/** Ended landings after a number of the sequence, of one host's sessions. */
export async function readNews(query: Query, seq: number, host: string, limit: number): Promise<LandingNews[]> {
  const rows = await query.rows(
    `select landings.id, news::float8 as seq, landings.session, body, state, branch, commit_id, reason, paths
      from escrow.landings join escrow.sessions on sessions.id = landings.session and sessions.host = $2
      where news > $1::float8::bigint and state in ('landed', 'evicted') order by news limit $3::float8::int`,
    [seq, host, limit],
  )
  return rows.map(newsOf)
}

const PATHS = z.array(z.string())

function newsOf(row: Row): LandingNews {
  const state = row.state === 'landed' ? 'landed' : 'evicted'
  const paths = row.paths === null ? undefined : PATHS.parse(JSON.parse(textOf(row, 'paths')))
  return {
    seq: numberOf(row, 'seq'),
    id: textOf(row, 'id'),
    session: textOf(row, 'session'),
    state,
    branch: textOf(row, 'branch'),
    ...defined({ commit: maybeTextOf(row, 'commit_id'), reason: maybeTextOf(row, 'reason') }),
    changes: bodyOf(row)
      .changes.filter(({ path }) => paths === undefined || paths.includes(path))
      .map((change) => ({ key: changeKey(change), path: change.path })),
  }
}

const STATES: readonly LandingState[] = ['waiting', 'landing', 'landed', 'evicted', 'withdrawn']

export function landingOf(row: Row): Landing {
  const state = STATES.find((each) => each === row.state)
  if (state === undefined) throw new TypeError('A landing has an unknown state.')
  const { changes, reviewers } = bodyOf(row)
  return {
    id: textOf(row, 'id'),
    session: textOf(row, 'session'),
    submission: textOf(row, 'submission'),
    state,
    changes,
    reviewers,
    attempts: numberOf(row, 'attempts'),
    at: textOf(row, 'at'),
    ...defined({
      branch: maybeTextOf(row, 'branch'),
      commit: maybeTextOf(row, 'commit_id'),
      reason: maybeTextOf(row, 'reason'),
    }),
  }
}
