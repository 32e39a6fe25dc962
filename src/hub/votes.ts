import { z } from 'zod'
import { defined } from '../core/defined.js'
import type { Vote } from './approval.js'
import { maybeHunksOf } from './decided.js'
import { HubError } from './hub-error.js'
import { type Query, type Row, textOf } from './sql.js'
import type { Proof } from './types.js'

const TEAMS = z.array(z.string())

export interface NewVote {
  readonly submission: string
  readonly session: string
  readonly key: string
  readonly verdict: 'approved' | 'rejected'
  readonly reason: string | null
  /** Undefined: on all of the change. */
  readonly hunks: readonly string[] | undefined
  readonly name: string
  readonly proof: Proof
}

export async function insertVote(query: Query, vote: NewVote): Promise<void> {
  const { submission, session, key, verdict, reason, hunks, name, proof } = vote
  await query.rows(
    `insert into escrow.votes (submission, session, key, verdict, reason, name, subject, token, teams, hunks, at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, clock_timestamp())`,
    [
      ...[submission, session, key, verdict, reason, name, proof.subject ?? `name ${name}`, proof.token ?? null],
      ...[JSON.stringify(proof.teams ?? []), hunks === undefined ? null : JSON.stringify(hunks)],
    ],
  )
}

/** All votes on changes of a session, by key, oldest first. */
export async function readVotes(query: Query, session: string, keys: readonly string[]): Promise<Map<string, Vote[]>> {
  const rows = await query.rows(
    `select key, verdict, name, subject, teams, hunks, coalesce(escrow.is_token_revoked(token), false) as is_revoked
      from escrow.votes where session = $1 and key in (select json_array_elements_text($2::text::json))
      order by number`,
    [session, JSON.stringify(keys)],
  )
  const found = new Map<string, Vote[]>()
  for (const row of rows) {
    const key = textOf(row, 'key')
    found.set(key, [...(found.get(key) ?? []), voteOf(row)])
  }
  return found
}

/**
 * Called with the lock of the workspace, which a revocation and a change of groups take too.
 * @throws HubError `refused`
 */
export async function assertMayDecide(query: Query, { token, signIn }: Proof): Promise<void> {
  if (token !== undefined) {
    const [row] = await query.rows('select escrow.is_token_revoked($1) as is_revoked', [token])
    if (row?.is_revoked !== false) throw new HubError('refused', 'The token was revoked. Nothing was recorded.')
  }
  if (signIn !== undefined) {
    const [row] = await query.rows('select escrow.may_sign_in_decide($1) as may_decide', [signIn])
    if (row?.may_decide !== true)
      throw new HubError('refused', 'Your sign-in has ended, or may not decide here any more. Nothing was recorded.')
  }
}

function voteOf(row: Row): Vote {
  return {
    verdict: row.verdict === 'approved' ? 'approved' : 'rejected',
    name: textOf(row, 'name'),
    subject: textOf(row, 'subject'),
    teams: TEAMS.parse(JSON.parse(textOf(row, 'teams'))),
    isRevoked: row.is_revoked !== false,
    ...defined({ hunks: maybeHunksOf(row) }),
  }
}
