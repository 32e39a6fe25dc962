import { defined } from '../core/defined.js'
import { Approval, peopleOfParts, peopleWhoApproved, type Vote } from './approval.js'
import { approversOf, hunkStates, missingOf } from './by-hunk.js'
import { readBody } from './change-body.js'
import { maybeHunksOf, readDecided, UNDECIDED } from './decided.js'
import { readFacts } from './facts.js'
import { HubError } from './hub-error.js'
import { readNews } from './landing-rows.js'
import { readRules } from './review-rules.js'
import { lastSeq } from './scope.js'
import { maybeTextOf, numberOf, type Query, type Row, textOf } from './sql.js'
import type { Decision, Outcome, SubmissionDetails, SubmissionSummary, SubmittedChange } from './types.js'
import { readVotes } from './votes.js'

/** The most decisions of one answer. */
const PAGE = 500

/** The newest decision on the same bytes of the session: it still applies when the agent has changed other files. */
const LATEST = `left join lateral (
    select nullif(coalesce(outcome, verdict), 'pending') as verdict, reviewer,
      case when hunks is null then reason end as reason
    from escrow.decisions
    where decisions.session = submissions.session and decisions.key = changes.key order by decisions.seq desc limit 1
  ) as latest on true`

export async function readSummaries(query: Query, order: 'risk' | 'age'): Promise<SubmissionSummary[]> {
  const rows = await query.rows(
    // Counted by submission: without statistics PostgreSQL would compare each submission with the changes of all others.
    `select id, session, risk, at::text as at, changes, pending
      from escrow.submissions cross join lateral (
        select count(*)::float8 as changes, count(*) filter (where latest.verdict is null)::float8 as pending
        from escrow.changes ${LATEST} where changes.submission = submissions.id
      ) as counted
      where is_open and changes > 0
      order by pending = 0, ${order === 'risk' ? 'risk desc, ' : ''}seq`,
  )
  return rows.map((row) => ({
    id: textOf(row, 'id'),
    session: textOf(row, 'session'),
    risk: numberOf(row, 'risk'),
    at: textOf(row, 'at'),
    changes: numberOf(row, 'changes'),
    pending: numberOf(row, 'pending'),
  }))
}

export async function readSubmission(query: Query, id: string): Promise<SubmissionDetails> {
  const [found] = await query.rows('select session, is_open, facts from escrow.submissions where id = $1', [id])
  if (found === undefined) throw new HubError('not_found', 'There is no such submission.')
  const rows = await query.rows(
    `select changes.key, changes.body, latest.verdict, latest.reason, latest.reviewer
      from escrow.submissions join escrow.changes on changes.submission = submissions.id ${LATEST}
      where submissions.id = $1 order by changes.number`,
    [id],
  )
  const session = textOf(found, 'session')
  const changes = await withVotes(query, session, rows.map(changeOf))
  const facts = maybeTextOf(found, 'facts')
  const known = facts === undefined ? undefined : readFacts(facts)
  return { id, session, isOpen: found.is_open === true, ...defined({ facts: known }), changes }
}

/** Adds the missing approvals to changes that are not approved. */
async function withVotes(query: Query, session: string, changes: SubmittedChange[]): Promise<SubmittedChange[]> {
  const keys = changes.map(({ key }) => key)
  const [votes, decided] = [await readVotes(query, session, keys), await readDecided(query, session, keys)]
  const approval = new Approval(await readRules(query))
  return changes.map((change) => {
    const changeVotes = votes.get(change.key) ?? []
    const hunks = hunkStates(change, decided.get(change.key) ?? UNDECIDED, changeVotes, approval)
    const known = Object.assign(change, hunks.length > 0 && { hunks })
    if (change.verdict === 'approved') return known
    const approvedBy = approversOf(changeVotes.filter((vote) => vote.hunks === undefined))
    return Object.assign(known, defined({ approvedBy, missing: missingOf(change, changeVotes, approval) }))
  })
}

function changeOf(row: Row): SubmittedChange {
  return Object.assign(
    readBody(textOf(row, 'body')),
    { key: textOf(row, 'key') },
    defined({
      verdict: verdictOf(row),
      reason: maybeTextOf(row, 'reason'),
      reviewer: maybeTextOf(row, 'reviewer'),
    }),
  )
}

function verdictOf({ verdict }: Row): SubmittedChange['verdict'] {
  return verdict === 'approved' || verdict === 'rejected' || verdict === 'mixed' ? verdict : undefined
}

/**
 * The decisions and landings of a host's sessions after a number, and the branch where its approved changes land, if any.
 * `last` is read first and bounds the answer: of two later queries, only the second may see a row that was written between them.
 */
export async function readDecisions(query: Query, seq: number, host: string) {
  const last = await lastSeq(query)
  const rows = await query.rows(
    `select decisions.seq::float8 as seq, decisions.session, key, body, verdict, reason, reviewer,
        hunks, coalesce(outcome, verdict) as outcome, at::text as at
      from escrow.decisions join escrow.sessions on sessions.id = decisions.session and sessions.host = $2
      where decisions.seq > $1::float8::bigint order by decisions.seq limit ${PAGE}`,
    [seq, host],
  )
  const decisions = await withApprovers(query, rows.map(decisionOf))
  const landings = await readNews(query, seq, host, PAGE)
  // A full page ends the answer. The rest belongs to the next answer.
  const full = [decisions, landings].flatMap((page) => (page.length < PAGE ? [] : (page.at(-1)?.seq ?? [])))
  const next = Math.min(Math.max(seq, last), ...full)
  const isWithin = (each: { readonly seq: number }) => each.seq <= next
  const [repository] = await query.rows('select branch from escrow.repositories')
  const lands = repository && textOf(repository, 'branch')
  return {
    decisions: decisions.filter(isWithin),
    landings: landings.filter(isWithin),
    next,
    last,
    ...defined({ lands }),
  }
}

/**
 * Adds the people who approved the content of a decision, or some of its hunks. A stored decision names only the last
 * one.
 */
async function withApprovers(query: Query, decisions: readonly Decision[]): Promise<Decision[]> {
  const bySession = new Map<string, ReadonlyMap<string, readonly Vote[]>>()
  for (const session of new Set(decisions.map((each) => each.session))) {
    const approved = decisions.filter((each) => each.session === session && each.verdict === 'approved')
    const keys = [...new Set(approved.map(({ key }) => key))]
    if (keys.length > 0) bySession.set(session, await readVotes(query, session, keys))
  }
  return decisions.map((decision) => {
    const { session, key, verdict, hunks } = decision
    if (verdict !== 'approved') return decision
    const votes = bySession.get(session)?.get(key) ?? []
    const parts = peopleOfParts(votes, hunks)
    const approvers = peopleWhoApproved(votes, hunks)
    return Object.assign({}, decision, { approvers }, parts.length > 0 && { parts })
  })
}

const OUTCOMES: readonly Outcome[] = ['approved', 'rejected', 'mixed', 'pending']

function decisionOf(row: Row): Decision {
  const verdict = verdictOf(row)
  const outcome = OUTCOMES.find((each) => each === row.outcome)
  if (verdict === undefined || verdict === 'mixed' || outcome === undefined)
    throw new TypeError('A decision has no verdict.')
  return {
    seq: numberOf(row, 'seq'),
    session: textOf(row, 'session'),
    key: textOf(row, 'key'),
    path: readBody(textOf(row, 'body')).path,
    verdict,
    reviewer: textOf(row, 'reviewer'),
    at: textOf(row, 'at'),
    outcome,
    ...defined({ reason: maybeTextOf(row, 'reason'), hunks: maybeHunksOf(row) }),
  }
}
