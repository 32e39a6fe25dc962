import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { withProcessLock } from '../os/lock.js'
import { ensurePrivateDir } from '../os/write.js'
import { HubError } from './hub-error.js'
import { migrate } from './migrate.js'
import { openPglite } from './pglite.js'
import { openPostgres } from './postgres.js'
import type { Database } from './sql.js'

/** A server's address, or a directory for a trial on one machine. */
export type Place = { readonly url: string } | { readonly directory: string }

/** Whether a directory has a hub's embedded database. */
export function hasDatabase(directory: string): boolean {
  return existsSync(dataOf(directory))
}

function dataOf(directory: string): string {
  return join(directory, 'data')
}

/** Opens the database of a hub for the duration of `work`, after the migrations that it lacks. */
export async function openDatabase<T>(place: Place, work: (database: Database) => Promise<T>): Promise<T> {
  if ('url' in place) return using(await openPostgres(place.url), work)
  ensurePrivateDir(place.directory)
  const directory = realpathSync(place.directory)
  // Two processes on one directory would destroy it, also if one of them was stopped for a while.
  return withProcessLock(
    join(directory, 'locks'),
    'hub',
    async () => using(await openPglite(dataOf(directory)), work),
    { isKeptByLiving: true },
  ).catch((error: unknown) => {
    throw isLocked(error)
      ? new HubError('refused', `Another process has the hub in ${directory} open. Stop it first, or use --database.`)
      : error
  })
}

function isLocked(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ELOCKED'
}

async function using<T>(database: Database, work: (database: Database) => Promise<T>): Promise<T> {
  try {
    await migrate(database)
    return await work(database)
  } finally {
    await database.close()
  }
}
