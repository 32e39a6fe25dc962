import type { Command } from 'commander'
import type { Context } from '../context.js'
import { parseWholeNumber } from '../numbers.js'
import { pluralize } from '../output.js'
import { type Owner, withDatabase, withOwner } from './with-database.js'

interface Options extends Owner {
  readonly days: number
}

/** Adds `escrow hub prune`. */
export function registerPrune(hub: Command, context: Context): void {
  withOwner(
    hub
      .command('prune')
      .description(
        'Remove contents that no waiting change needs. Decisions, the audit and the digests of the contents stay.',
      ),
  )
    .option('--days <number>', 'keep contents that a machine sent within this many days', parseWholeNumber, 30)
    .action((options: Options) => prune(context, hub, options))
}

async function prune(context: Context, hub: Command, { tenant, workspace, days }: Options): Promise<void> {
  const { contents, bytes } = await withDatabase(context, hub, (room, database) =>
    room.openStores(database, { tenant, workspace }).contents.removeUnused(days),
  )
  context.io.out(`removed  ${pluralize(contents, 'content')}, ${pluralize(bytes, 'byte')}\n`)
}
