import { sha256hex } from '../../overlay/index.js'
import { newToken } from '../os/loopback.js'
import { HubError } from './hub-error.js'
import { lockWorkspace } from './scope.js'
import { type Database, maybeTextOf, type Row, textOf } from './sql.js'
import { type Identity, ROLES } from './types.js'

/**
 * Tokens are looked up before the tenant is known, so these queries run outside row security. The role of all other queries has no
 * right to the table.
 */

/** Returns a new token. The database has only its hash, so it cannot be shown again. */
export async function addToken(database: Database, identity: Identity): Promise<string> {
  const token = newToken()
  const { tenant, workspace, name, role } = identity
  const rows = await database.transaction((query) =>
    query.rows(
      `insert into escrow.tokens (sha256, tenant, workspace, name, role) values ($1, $2, $3, $4, $5)
        on conflict do nothing returning name`,
      [sha256hex(token), tenant, workspace, name, role],
    ),
  )
  if (rows.length === 0)
    throw new HubError(
      'refused',
      `There is a token for ${name} in ${workspace}. Revoke it first: escrow hub token revoke ${name}`,
    )
  return token
}

/** Returns the owner of a token that was not revoked. */
export async function findToken(database: Database, token: string): Promise<Identity | undefined> {
  const rows = await database.transaction((query) =>
    query.rows('select tenant, workspace, name, role from escrow.tokens where sha256 = $1 and revoked_at is null', [
      sha256hex(token),
    ]),
  )
  return rows.map((row) => Object.assign(identityOf(row), { proof: { token: sha256hex(token) } }))[0]
}

export async function listTokens(database: Database): Promise<(Identity & { revoked: boolean })[]> {
  const rows = await database.transaction((query) =>
    query.rows(
      `select tenant, workspace, name, role, revoked_at::text as revoked_at from escrow.tokens
        order by tenant, workspace, name, created_at`,
    ),
  )
  return rows.map((row) => Object.assign(identityOf(row), { revoked: maybeTextOf(row, 'revoked_at') !== undefined }))
}

/**
 * Revokes a token. A concurrent decision of its owner is made before the revocation, or is refused: both wait for the
 * lock of the workspace.
 */
export async function revokeToken(
  database: Database,
  { tenant, workspace, name }: Pick<Identity, 'tenant' | 'workspace' | 'name'>,
): Promise<void> {
  const rows = await database.transaction(async (query) => {
    await lockWorkspace(query, { tenant, workspace })
    return query.rows(
      `update escrow.tokens set revoked_at = now()
        where tenant = $1 and workspace = $2 and name = $3 and revoked_at is null returning name`,
      [tenant, workspace, name],
    )
  })
  if (rows.length === 0)
    throw new HubError(
      'not_found',
      `There is no token for ${name} in ${workspace}. See the tokens with 'escrow hub token list'.`,
    )
}

function identityOf(row: Row): Identity {
  const role = ROLES.find((each) => each === row.role)
  if (role === undefined) throw new TypeError('A token has an unknown role.')
  return { tenant: textOf(row, 'tenant'), workspace: textOf(row, 'workspace'), name: textOf(row, 'name'), role }
}
