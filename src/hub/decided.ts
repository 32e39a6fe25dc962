import { z } from 'zod'
import { defined } from '../core/defined.js'
import { maybeTextOf, type Query, type Row, textOf } from './sql.js'
import type { Outcome } from './types.js'

const HUNKS = z.array(z.string())

/** The ids in the column `hunks`; undefined: the row is about a whole change. */
export function maybeHunksOf(row: Row): readonly string[] | undefined {
  const text = maybeTextOf(row, 'hunks')
  return text === undefined ? undefined : HUNKS.parse(JSON.parse(text))
}

/** A decision on a change or on a hunk of it. */
export interface PartDecision {
  readonly verdict: 'approved' | 'rejected'
  readonly reviewer: string
  readonly reason?: string | undefined
}

/** The decisions on a change: on all of it, and later ones on hunks of it. */
export interface Decided {
  readonly whole?: PartDecision | undefined
  readonly hunks: ReadonlyMap<string, PartDecision>
}

export const UNDECIDED: Decided = { hunks: new Map() }

/** The decisions in force on changes of a session that were decided by hunk, by key. */
export async function readDecided(
  query: Query,
  session: string,
  keys: readonly string[],
): Promise<Map<string, Decided>> {
  const rows = await query.rows(
    `select key, verdict, reviewer, reason, hunks from escrow.decisions
      where session = $1 and key in (select json_array_elements_text($2::text::json)) order by decisions.seq`,
    [session, JSON.stringify(keys)],
  )
  const found = new Map<string, Decided>()
  for (const row of rows) {
    const key = textOf(row, 'key')
    found.set(key, withDecision(found.get(key) ?? UNDECIDED, decisionOf(row), maybeHunksOf(row)))
  }
  return found
}

/**
 * Returns the decisions in force after one more.
 * @param on the hunks that the new decision is on; undefined for the whole change, where it replaces all earlier decisions
 */
export function withDecision(
  { whole, hunks }: Decided,
  decision: PartDecision,
  on: readonly string[] | undefined,
): Decided {
  if (on === undefined) return { whole: decision, hunks: new Map() }
  return { whole, hunks: new Map([...hunks, ...on.map((id) => [id, decision] as const)]) }
}

/**
 * Returns the state of a whole change by the decisions in force. It is approved only if each hunk is approved.
 * @param all the ids of its hunks
 */
export function outcomeOf({ whole, hunks }: Decided, all: readonly string[]): Outcome {
  if (hunks.size === 0) return whole?.verdict ?? 'pending'
  // Another version of escrow has divided the change into other hunks. Decisions on those stay recorded, and decide
  // nothing here.
  if ([...hunks.keys()].some((id) => !all.includes(id))) return 'pending'
  const verdicts = new Set(all.map((id) => (hunks.get(id) ?? whole)?.verdict))
  const [only] = verdicts
  if (verdicts.has(undefined) || only === undefined) return 'pending'
  return verdicts.size > 1 ? 'mixed' : only
}

function decisionOf(row: Row): PartDecision {
  return {
    verdict: row.verdict === 'approved' ? 'approved' : 'rejected',
    reviewer: textOf(row, 'reviewer'),
    ...defined({ reason: maybeTextOf(row, 'reason') }),
  }
}
