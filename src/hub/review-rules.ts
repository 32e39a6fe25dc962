import { z } from 'zod'
import { parseCodeowners } from './codeowners.js'
import { HubError } from './hub-error.js'
import { appendLine } from './ledger.js'
import { changing, inScope } from './scope.js'
import { type Database, type Query, textOf } from './sql.js'
import type { ReviewRules, RulesStore, Scope } from './types.js'

/** More people than a workspace could ask for each change. */
const MAX_APPROVALS = 10
const MAX_TEAMS = 500
const MAX_MEMBERS = 1_000
const NAME = z.string().min(1).max(200)

/** A team as CODEOWNERS writes it. */
export const TEAM = z.string().regex(/^@[A-Za-z0-9_.-]+\/[A-Za-z0-9_.-]+$/, "A team is written '@organisation/team'.")

/** Rules as an admin sets them. */
export const RULES: z.ZodType<ReviewRules> = z.strictObject({
  approvals: z.number().int().min(1).max(MAX_APPROVALS),
  codeowners: z.string().nullable(),
  teams: z
    .record(TEAM, z.array(NAME).max(MAX_MEMBERS))
    .refine((teams) => Object.keys(teams).length <= MAX_TEAMS, `There are more than ${MAX_TEAMS} teams.`),
})

/** The rules of a workspace whose admin has set none. */
const NONE: ReviewRules = { approvals: 1, codeowners: null, teams: {} }

export function createRules(database: Database, scope: Scope): RulesStore {
  return {
    get: () => inScope(database, scope, readRules),
    set: (rules, by) =>
      changing(database, scope, async (query) => {
        const body = JSON.stringify(RULES.parse(rules))
        if (rules.codeowners !== null) parseCodeowners(rules.codeowners)
        await query.rows(
          `insert into escrow.review_rules (number, body, set_by)
            select coalesce(max(number), 0) + 1, $1, $2 from escrow.review_rules`,
          [body, by],
        )
        await appendLine(query, 'audit', { act: 'review rules set', by, rules: body })
      }),
  }
}

/** The teams that no line of CODEOWNERS names. Their members own nothing as members. */
export function teamsWithoutPaths({ codeowners, teams }: ReviewRules): string[] {
  const known = parseCodeowners(codeowners ?? '')
  return Object.keys(teams).filter((team) => !known.names(team))
}

/** The rules in force. If one cannot be read, every approval is refused. */
export async function readRules(query: Query): Promise<ReviewRules> {
  const [row] = await query.rows('select body from escrow.review_rules order by number desc limit 1')
  if (row === undefined) return NONE
  const read = RULES.safeParse(JSON.parse(textOf(row, 'body')))
  if (read.success) return read.data
  throw new HubError('refused', 'The review rules of this workspace cannot be read. An admin can set them again.')
}
