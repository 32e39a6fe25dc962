import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Context } from '../context.js'
import { oneLine } from '../printable.js'

interface Where {
  readonly database?: string
  readonly dir?: string
}

/** Which workspace of the hub a command is for. */
export interface Owner {
  readonly workspace: string
  readonly tenant: string
}

/** Adds the options of {@link Owner}. */
export function withOwner(command: Command): Command {
  return command
    .option('--workspace <name>', 'the workspace that it is for', 'default')
    .option('--tenant <name>', 'the tenant that the workspace belongs to', 'default')
}

/** Refuses names that no token can have: nobody could ever use what is set for them. */
export function requireNames(command: Command, { workspace, tenant }: Owner, ...others: readonly string[]): void {
  for (const each of [...others, workspace, tenant])
    if (!/^[A-Za-z0-9_-]{1,40}$/.test(each))
      command.error(`error: '${oneLine(each)}' is not a name: use up to 40 letters, digits, - and _`)
}

/**
 * Opens the database that the options of `hub` name. Refused within an agent's session: its tokens decide.
 * @param mayCreate whether to make an embedded database that does not exist. Else a mistyped directory would be a new, empty hub.
 */
export async function withDatabase<T>(
  { io, library }: Context,
  command: Command,
  work: (room: typeof import('../../hub/index.js'), database: import('../../hub/index.js').Database) => Promise<T>,
  mayCreate = false,
): Promise<T> {
  const { assertOutsideSession } = await library()
  assertOutsideSession()
  const { database = process.env.ESCROW_HUB_DATABASE, dir } = command.opts<Where>()
  if (dir === undefined && (database === undefined || database === ''))
    command.error("error: give '--dir', '--database' or the variable ESCROW_HUB_DATABASE")
  const room = await import('../../hub/index.js')
  if (dir !== undefined && !room.hasDatabase(resolve(io.cwd, dir))) {
    const name = oneLine(dir)
    if (!mayCreate)
      command.error(
        `error: there is no hub in ${name}. Make one with 'escrow hub --dir ${name} token add NAME --role ROLE'`,
      )
    io.err(`New hub in ${name}\n`)
  }
  const place = dir === undefined ? { url: database ?? '' } : { directory: resolve(io.cwd, dir) }
  return room.openDatabase(place, (opened) => work(room, opened))
}
