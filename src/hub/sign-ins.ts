import { z } from 'zod'
import { sha256hex } from '../../overlay/index.js'
import { newToken } from '../os/loopback.js'
import { lastsAsSql } from './clock.js'
import { HubError } from './hub-error.js'
import { findSignInGroups } from './sign-in-groups.js'
import type { Access, BegunSignIn, Person, SignIn, SignInGroup } from './sign-in-types.js'
import { type Database, maybeTextOf, type Query, type Row, textOf } from './sql.js'

/**
 * Sign-ins by an identity provider, in the database, so that any server of a hub knows them. A browser has a random value in a cookie,
 * and the database only its hash. These queries run outside row security, as those of tokens do.
 */

/** How long a sign-in lasts. Groups that end at the provider end here by then. */
const LONGEST_SIGN_IN_MS = 3_600_000
/** How long a person may take at the provider. */
const LONGEST_BEGUN_MS = 600_000
const NAMES = z.array(z.string())
const IS_SIGNED_IN = lastsAsSql('until', 'clock_timestamp()', LONGEST_SIGN_IN_MS)
const IS_BEGUN = lastsAsSql('until', 'clock_timestamp()', LONGEST_BEGUN_MS)

/** Begins a sign-in. The browser keeps `cookie`, and the other values are for one answer of the provider. */
export async function beginSignIn(database: Database): Promise<BegunSignIn & { readonly cookie: string }> {
  const begun = { cookie: newToken(), state: newToken(), nonce: newToken(), verifier: newToken() }
  await database.transaction(async (query) => {
    await query.rows(`delete from escrow.begun_sign_ins where not ${IS_BEGUN}`)
    await query.rows(
      `insert into escrow.begun_sign_ins (sha256, state, nonce, verifier, until)
        values ($1, $2, $3, $4, clock_timestamp() + interval '${LONGEST_BEGUN_MS} milliseconds')`,
      [sha256hex(begun.cookie), begun.state, begun.nonce, begun.verifier],
    )
  })
  return begun
}

/** Returns the sign-in that this browser began with this state, once. */
export async function takeBegunSignIn(
  database: Database,
  cookie: string,
  state: string,
): Promise<BegunSignIn | undefined> {
  const rows = await database.transaction((query) =>
    query.rows(
      `delete from escrow.begun_sign_ins where sha256 = $1 and state = $2
        returning state, nonce, verifier, ${IS_BEGUN} as is_open`,
      [sha256hex(cookie), state],
    ),
  )
  return rows
    .filter((row) => row.is_open === true)
    .map((row) => ({
      state: textOf(row, 'state'),
      nonce: textOf(row, 'nonce'),
      verifier: textOf(row, 'verifier'),
    }))[0]
}

/**
 * Signs a person in. Keeps the groups that have access to a workspace, and no others.
 * @returns the value of the cookie
 * @throws HubError `refused` if no group has access
 */
export async function addSignIn(database: Database, person: Person): Promise<string> {
  const cookie = newToken()
  const { issuer, subject, name, groups } = person
  await database.transaction(async (query) => {
    const known = await findSignInGroups(query, groups)
    const accesses = accessesOf(known)
    if (accesses.length === 0)
      throw new HubError(
        'refused',
        "None of your groups has access to a workspace. The hub's operator can give it, by the command escrow hub group set.",
      )
    const [only] = accesses.length === 1 ? accesses : []
    await query.rows(`delete from escrow.sign_ins where not ${IS_SIGNED_IN}`)
    await query.rows(
      `insert into escrow.sign_ins (sha256, issuer, subject, name, groups, tenant, workspace, role, until)
        values ($1, $2, $3, $4, $5, $6, $7, $8, clock_timestamp() + interval '${LONGEST_SIGN_IN_MS} milliseconds')`,
      [
        ...[sha256hex(cookie), issuer, subject, name, JSON.stringify([...new Set(known.map((group) => group.name))])],
        ...[only?.tenant ?? null, only?.workspace ?? null, only?.role ?? null],
      ],
    )
  })
  return cookie
}

/** Returns a sign-in by this issuer that has not ended, with what it has access to now. */
export function findSignIn(database: Database, cookie: string, issuer: string): Promise<SignIn | undefined> {
  return database.transaction(async (query) => {
    const [row] = await query.rows(
      `select issuer, subject, name, groups, tenant, workspace, role from escrow.sign_ins
        where sha256 = $1 and issuer = $2 and ${IS_SIGNED_IN}`,
      [sha256hex(cookie), issuer],
    )
    return row === undefined ? undefined : signInOf(query, row, sha256hex(cookie))
  })
}

/** Makes one of the accesses of a sign-in the current one. @throws HubError `refused` if it has no such access now */
export async function chooseAccess(database: Database, { id, accesses }: SignIn, wanted: Access): Promise<void> {
  if (!accesses.some((each) => isSameAccess(each, wanted)))
    throw new HubError('refused', 'Your groups have no such access.')
  await database.transaction((query) =>
    query.rows('update escrow.sign_ins set tenant = $2, workspace = $3, role = $4 where sha256 = $1', [
      ...[id, wanted.tenant, wanted.workspace, wanted.role],
    ]),
  )
}

/** Ends a sign-in, or all of its person. */
export async function endSignIn(database: Database, cookie: string, which: 'this' | 'all'): Promise<void> {
  const one = 'delete from escrow.sign_ins where sha256 = $1'
  const all = `delete from escrow.sign_ins where (issuer, subject) in (
    select issuer, subject from escrow.sign_ins where sha256 = $1)`
  await database.transaction((query) => query.rows(which === 'this' ? one : all, [sha256hex(cookie)]))
}

/**
 * Ends all sign-ins of people with this name, by the operator. A concurrent decision of theirs is made before that, or
 * is refused. @returns how many
 */
export async function endSignInsNamed(database: Database, name: string): Promise<number> {
  const rows = await database.transaction((query) =>
    query.rows('delete from escrow.sign_ins where name = $1 returning 1 as ended', [name]),
  )
  return rows.length
}

async function signInOf(query: Query, row: Row, id: string): Promise<SignIn> {
  const name = textOf(row, 'name')
  const subject = `${textOf(row, 'issuer')} ${textOf(row, 'subject')}`
  const groups = await findSignInGroups(query, NAMES.parse(JSON.parse(textOf(row, 'groups'))))
  const accesses = accessesOf(groups)
  const chosen = accesses.find(
    (each) =>
      each.tenant === maybeTextOf(row, 'tenant') &&
      each.workspace === maybeTextOf(row, 'workspace') &&
      each.role === maybeTextOf(row, 'role'),
  )
  if (chosen === undefined) return { id, subject, name, accesses }
  const proof = { subject, signIn: id, teams: teamsOf(groups, chosen) }
  return { id, subject, name, accesses, identity: Object.assign({ name, proof }, chosen) }
}

/** The teams of a person in a workspace: those that the operator gave to the groups there, and no others. */
function teamsOf(groups: readonly SignInGroup[], { tenant, workspace }: Access): string[] {
  const ofWorkspace = groups.filter((group) => group.tenant === tenant && group.workspace === workspace)
  return [...new Set(ofWorkspace.flatMap(({ teams }) => teams))]
}

function accessesOf(groups: readonly SignInGroup[]): Access[] {
  const all = groups.map(({ tenant, workspace, role }): Access => ({ tenant, workspace, role }))
  return all.filter((each, at) => all.findIndex((other) => isSameAccess(other, each)) === at)
}

function isSameAccess(one: Access, other: Access): boolean {
  return one.tenant === other.tenant && one.workspace === other.workspace && one.role === other.role
}
