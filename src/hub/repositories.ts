import { type Clock, DATABASE_CLOCK, lastsAsSql, nowAsSql } from './clock.js'
import { HubError } from './hub-error.js'
import { REPOSITORY_COLUMNS, repositoryOf, TURN_MS } from './landing-rows.js'
import { enterScope, inScope, lockWorkspace, onlyRow } from './scope.js'
import { type Database, numberOf, type Query } from './sql.js'
import type { Repository, Scope, Turn } from './types.js'

/**
 * The repositories of all workspaces. These queries run outside row security, as the owner of the tables, because an operator sets
 * repositories and a worker looks for work in every workspace.
 */

/** Addresses that git opens without starting a program of the address's choice. */
const URL_FORM = /^(?:(?:https?|ssh|git|file):\/\/|\/|[\w.-]+@[\w.-]+:)/
const BRANCH = /^(?!-)[^\s~^:?*[\\\p{Cc}]+$/u

/**
 * Sets where a workspace's approved changes land. It ends the turn of a worker that has the workspace.
 * @throws HubError `refused` for another place while landings wait: people approved them for the one that they saw
 */
export async function setRepository(database: Database, repository: Repository): Promise<void> {
  const { tenant, workspace, url, branch, directory, checks } = repository
  assertAddress(url)
  if (!BRANCH.test(branch)) throw new HubError('invalid', `'${branch}' is not a name for a branch.`)
  assertDirectory(directory)
  await database.transaction(async (query) => {
    // Without the lock, a landing could be queued in between.
    await lockWorkspace(query, repository)
    const [before] = await query.rows(
      `select ${REPOSITORY_COLUMNS} from escrow.repositories where tenant = $1 and workspace = $2`,
      [tenant, workspace],
    )
    await query.rows(
      `insert into escrow.repositories (tenant, workspace, url, branch, directory, checks) values ($1, $2, $3, $4, $5, $6)
        on conflict (tenant, workspace) do update
        set url = excluded.url, branch = excluded.branch, directory = excluded.directory, checks = excluded.checks,
          problem = null, worker = null, epoch = repositories.epoch + 1, until = '-infinity'`,
      [tenant, workspace, url, branch, directory, JSON.stringify(checks)],
    )
    if (before === undefined || isSamePlace(repositoryOf(before), repository)) return
    await enterScope(query, repository)
    const waiting = await countWaiting(query)
    if (waiting > 0) throw stillWaiting(waiting)
  })
}

type Place = Pick<Repository, 'url' | 'branch' | 'directory'>

function isSamePlace(one: Place, other: Place): boolean {
  return one.url === other.url && one.branch === other.branch && one.directory === other.directory
}

async function countWaiting(query: Query): Promise<number> {
  const rows = await query.rows(
    `select count(*)::float8 as waiting from escrow.landings where state in ('waiting', 'landing')`,
  )
  return numberOf(onlyRow(rows), 'waiting')
}

function stillWaiting(count: number): HubError {
  const what = count === 1 ? 'landing waits' : 'landings wait'
  return new HubError(
    'refused',
    `${count} approved ${what} for the place that is set now: see 'escrow hub repository list'. Land them with 'escrow hub worker --once', ` +
      "or withdraw them with 'escrow hub repository remove'. Nothing was changed.",
  )
}

/** @throws HubError `invalid` for an address that starts a program, or that has a password or a token, which reviewers would see */
function assertAddress(url: string): void {
  if (!URL_FORM.test(url) || /[\s\p{Cc}]/u.test(url))
    throw new HubError(
      'invalid',
      'Give the address of a repository: https://, ssh://, user@host:path, or an absolute path.',
    )
  // A forge takes a token as the user's name.
  if (/^https?:\/\/[^/]*@|^\w+:\/\/[^/]*:[^/]*@/.test(url))
    throw new HubError(
      'invalid',
      "The address has a password or a token. Leave it out: the worker uses its own git's credentials.",
    )
}

/** @throws HubError `invalid` for a path that leaves the repository, or that no git tree can hold */
function assertDirectory(directory: string): void {
  if (directory === '') return
  const isName = (segment: string) => !['', '.', '..'].includes(segment) && segment.toLowerCase() !== '.git'
  if (/[\\\p{Cc}]/u.test(directory) || !directory.split('/').every(isName))
    throw new HubError(
      'invalid',
      `'${directory}' is not a directory of a repository. Give its path from the top, such as packages/shop.`,
    )
}

/** Lets the machines of a workspace commit their own changes again. Waiting landings stay approved, and do not land. */
export async function removeRepository(database: Database, scope: Scope): Promise<void> {
  const { tenant, workspace } = scope
  await database.transaction(async (query) => {
    // Without the lock, a landing that is being queued would remain in the queue.
    await lockWorkspace(query, scope)
    const rows = await query.rows(
      'delete from escrow.repositories where tenant = $1 and workspace = $2 returning 1 as removed',
      [tenant, workspace],
    )
    if (rows.length === 0) throw new HubError('not_found', `The workspace ${workspace} has no repository.`)
    await enterScope(query, scope)
    await query.rows(`update escrow.landings set state = 'withdrawn' where state in ('waiting', 'landing')`)
  })
}

/** All repositories, each with the number of landings that wait for it. */
export async function listRepositories(database: Database): Promise<(Repository & { readonly waiting: number })[]> {
  const rows = await database.transaction((query) =>
    query.rows(`select ${REPOSITORY_COLUMNS} from escrow.repositories order by tenant, workspace`),
  )
  const found: (Repository & { readonly waiting: number })[] = []
  for (const repository of rows.map(repositoryOf))
    found.push(Object.assign({ waiting: await inScope(database, repository, countWaiting) }, repository))
  return found
}

/** Takes the turn of a workspace with landings that no worker has. Two workers never get the same one. */
export async function takeTurn(
  database: Database,
  worker: string,
  clock: Clock = DATABASE_CLOCK,
): Promise<Turn | undefined> {
  const [row] = await database.transaction((query) =>
    query.rows(
      `update escrow.repositories as taken
        set worker = $1, epoch = taken.epoch + 1, until = ${nowAsSql(2)} + interval '${TURN_MS} milliseconds'
        from (select tenant, workspace from escrow.repositories where is_due and not ${lastsAsSql('until', nowAsSql(2), TURN_MS)}
          order by until limit 1 for update skip locked) as free
        where taken.tenant = free.tenant and taken.workspace = free.workspace
        returning taken.tenant, taken.workspace, url, branch, directory, checks, epoch::float8 as epoch`,
      [worker, clock()],
    ),
  )
  return row === undefined ? undefined : Object.assign({ worker, epoch: numberOf(row, 'epoch') }, repositoryOf(row))
}
