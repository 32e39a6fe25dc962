import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Context } from '../context.js'
import { pluralize, table } from '../output.js'
import { oneLine } from '../printable.js'
import { renderPublished } from '../render-published.js'
import { type Owner, withDatabase, withOwner } from './with-database.js'

interface PublishOptions extends Owner {
  readonly origin?: string
  readonly hashesOnly?: boolean
}

/** The commands of `hub` for the ledgers that machines have sent. */
export function registerLedger(hub: Command, context: Context): void {
  const ledger = hub.command('ledger').description('Read the ledgers that machines have sent.')
  withOwner(
    ledger
      .command('list')
      .description("List the ledgers of a workspace, each with the newest record as 'escrow verify --heads' takes it."),
  ).action((options: Owner) => list(context, hub, options))
  withMachine(
    ledger
      .command('export')
      .description("Print a machine's ledger, byte by byte as in its file. 'escrow verify' checks it offline."),
  ).action((machine: string, options: Owner) => print(context, hub, machine, options))
  withMachine(
    ledger
      .command('publish')
      .description(
        "Publish a machine's ledger as a transparency log, as 'escrow ledger publish' does, signed with the key of 'escrow keys' of this user.",
      ),
  )
    .argument('<log>', 'the directory of the log')
    .option('--origin <name>', "the log's name, such as example.org/laptop; by default it has the ledger's id")
    .option('--hashes-only', 'publish no line of the ledger, only hashes')
    .action((machine: string, log: string, options: PublishOptions) => publish(context, hub, { machine, log }, options))
}

function withMachine(command: Command): Command {
  return withOwner(command.argument('<machine>', "the name of the machine's token"))
}

async function list(context: Context, hub: Command, { tenant, workspace }: Owner): Promise<void> {
  const ledgers = await withDatabase(context, hub, (room, database) =>
    room.openStores(database, { tenant, workspace }).machines.list(),
  )
  const rows = ledgers.map(({ machine, lines, at, head = '-', isForked }) => {
    return [machine, pluralize(lines, 'line'), at, head, isForked ? 'forked' : '']
  })
  context.io.out(table(rows.map((row) => row.map(oneLine))))
}

async function print(context: Context, hub: Command, machine: string, { tenant, workspace }: Owner): Promise<void> {
  await withDatabase(context, hub, async (room, database) => {
    const pages = room.openStores(database, { tenant, workspace }).machines.read(machine, 0)
    for await (const page of pages) context.io.out(page.toString())
  })
}

async function publish(
  context: Context,
  hub: Command,
  { machine, log }: { readonly machine: string; readonly log: string },
  { tenant, workspace, origin, hashesOnly = false }: PublishOptions,
): Promise<void> {
  const { publishLines } = await import('../../transparency/index.js')
  const dir = resolve(context.io.cwd, log)
  const published = await withDatabase(context, hub, (room, database) => {
    const lines = room.openStores(database, { tenant, workspace }).machines.read(machine, 0)
    return publishLines(lines, { dir, origin, hashesOnly })
  })
  context.io.out(renderPublished(published))
}
