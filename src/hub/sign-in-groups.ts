import { z } from 'zod'
import { HubError } from './hub-error.js'
import { appendLine } from './ledger.js'
import { TEAM } from './review-rules.js'
import { enterScope, lockWorkspace } from './scope.js'
import type { SignInGroup, SignInRole } from './sign-in-types.js'
import { type Database, type Query, type Row, textOf } from './sql.js'
import type { Scope } from './types.js'

/**
 * Which groups of the identity provider have access to which workspace. The operator sets them, for all workspaces, outside row security,
 * as tokens are. A group that is not listed has no access.
 */

const MAX_NAME = 200
const NAME = z
  .string()
  .min(1, 'A group has a name.')
  .max(MAX_NAME, `A name of a group has at most ${MAX_NAME} characters.`)
  .regex(/^[^\p{C}]*$/u, 'A name of a group has no control characters.')
const TEAMS = z.array(TEAM)
const COLUMNS = 'tenant, workspace, name, role, teams'

/**
 * Lets a group of the provider into a workspace. It replaces what the group had there.
 * @throws HubError `invalid` for a name that no group or team can have
 */
export async function setSignInGroup(database: Database, group: SignInGroup): Promise<void> {
  const { tenant, workspace, role } = group
  const [name, teams] = [parseWith(NAME, group.name), parseWith(TEAMS, group.teams)]
  await database.transaction(async (query) => {
    await lockWorkspace(query, group)
    await query.rows(
      `insert into escrow.sign_in_groups (${COLUMNS}) values ($1, $2, $3, $4, $5)
        on conflict (tenant, workspace, name) do update set role = excluded.role, teams = excluded.teams`,
      [tenant, workspace, name, role, JSON.stringify(teams)],
    )
    await audit(query, group, { act: 'group set', group: name, role, teams })
  })
}

/**
 * Removes a group's access to a workspace. A concurrent decision of its members is made before the removal, or is
 * refused.
 */
export async function removeSignInGroup(database: Database, group: Scope & { readonly name: string }): Promise<void> {
  const { tenant, workspace, name } = group
  await database.transaction(async (query) => {
    await lockWorkspace(query, group)
    const rows = await query.rows(
      'delete from escrow.sign_in_groups where tenant = $1 and workspace = $2 and name = $3 returning name',
      [tenant, workspace, name],
    )
    if (rows.length === 0) throw new HubError('not_found', `The group ${name} has no access to ${workspace}.`)
    await audit(query, group, { act: 'group removed', group: name })
  })
}

export async function listSignInGroups(database: Database): Promise<SignInGroup[]> {
  const rows = await database.transaction((query) =>
    query.rows(`select ${COLUMNS} from escrow.sign_in_groups order by tenant, workspace, name`),
  )
  return rows.map(groupOf)
}

/** The groups that have access somewhere, among those that a provider names. */
export async function findSignInGroups(query: Query, names: readonly string[]): Promise<SignInGroup[]> {
  const rows = await query.rows(
    `select ${COLUMNS} from escrow.sign_in_groups where name in (select json_array_elements_text($1::text::json))
      order by tenant, workspace, name`,
    [JSON.stringify(names)],
  )
  return rows.map(groupOf)
}

function parseWith<T>(schema: z.ZodType<T>, value: unknown): T {
  const { data, error } = schema.safeParse(value)
  if (error !== undefined) throw new HubError('invalid', error.issues.map(({ message }) => message).join(' '))
  return data
}

async function audit(query: Query, scope: Scope, record: Readonly<Record<string, unknown>>): Promise<void> {
  await enterScope(query, scope)
  await appendLine(query, 'audit', Object.assign({ by: 'the operator' }, record))
}

function groupOf(row: Row): SignInGroup {
  return {
    tenant: textOf(row, 'tenant'),
    workspace: textOf(row, 'workspace'),
    name: textOf(row, 'name'),
    role: signInRoleOf(row),
    teams: TEAMS.parse(JSON.parse(textOf(row, 'teams'))),
  }
}

function signInRoleOf({ role }: Row): SignInRole {
  if (role === 'reviewer' || role === 'admin') return role
  throw new TypeError('A group has an unknown role.')
}
