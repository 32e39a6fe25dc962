import { type Command, Option } from 'commander'
import { defined } from '../../core/defined.js'
import type { Role } from '../../hub/index.js'
import { errorText } from '../../surface/index.js'
import type { Context } from '../context.js'
import { land, registerLanding } from '../hub/landing.js'
import { registerLedger } from '../hub/ledger.js'
import { registerPrune } from '../hub/prune.js'
import { registerRules } from '../hub/rules.js'
import { registerSignIn } from '../hub/sign-in.js'
import { requireNames, withDatabase, withOwner } from '../hub/with-database.js'
import { table } from '../output.js'
import { parsePort, startOnPort } from '../port.js'
import { oneLine } from '../printable.js'
import { runUntilSignal, untilAborted } from '../run-until-signal.js'

interface ServeOptions {
  readonly port?: number
  readonly worker?: true
}
interface TokenOptions {
  readonly role?: Role
  readonly workspace: string
  readonly tenant: string
}

export function register(command: Command, context: Context): void {
  command
    .description(
      "Serve a team's hub on loopback: machines send what their agents stage, and reviewers decide on its page. A proxy adds TLS for other machines. Ctrl-C stops it.",
    )
    .option('--port <port>', 'the port (default: a free one)', parsePort)
    .option(
      '--database <url>',
      'a PostgreSQL database; better in the variable ESCROW_HUB_DATABASE, as others can read arguments',
    )
    .option('--dir <directory>', 'a directory for an embedded database: a trial with one process')
    .option('--worker', 'also land approved changes, as `escrow hub worker` does: for a trial with --dir')
    .action((options: ServeOptions) => serve(context, command, options))
  const token = command.command('token').description('Add, list and revoke tokens.')
  withName(token.command('add').description('Print a new token. The hub keeps only its hash.'))
    .addOption(
      new Option('--role <role>', 'what it may do').choices(['host', 'reviewer', 'admin']).makeOptionMandatory(),
    )
    .action((name: string, options: TokenOptions) => addToken(context, command, name, options))
  withName(token.command('revoke').description('Revoke a token.')).action((name: string, options: TokenOptions) =>
    revokeToken(context, command, name, options),
  )
  token
    .command('list')
    .description('List tokens, without their secrets.')
    .action(() => listTokens(context, command))
  registerSignIn(command, context)
  registerRules(command, context)
  registerLanding(command, context)
  registerLedger(command, context)
  registerPrune(command, context)
}

function withName(command: Command): Command {
  return withOwner(command.argument('<name>', 'a machine or a person: letters, digits, - and _'))
}

async function serve(context: Context, command: Command, { port, worker }: ServeOptions): Promise<void> {
  const { io } = context
  await withDatabase(
    context,
    command,
    async (_, database) => {
      const { readSignInSettings, readTelemetrySettings, serveHub, startTelemetry } = await import(
        '../../hub-server/index.js'
      )
      const signIn = readSignInSettings(process.env)
      const settings = readTelemetrySettings(process.env)
      await runUntilSignal(async (signal) => {
        const report = (error: unknown) => io.err(`escrow: ${oneLine(errorText(error))}\n`)
        const telemetry = settings && (await startTelemetry(settings, report))
        try {
          const served = await startOnPort('--port', () =>
            serveHub({ database, report, signIn, telemetry, ...defined({ port }) }),
          )
          io.out(`${served.url}\n`)
          if (worker) await land(context, database, signal)
          else await untilAborted(signal)
          await served.close()
        } finally {
          await telemetry?.stop()
        }
      })
    },
    true,
  )
}

async function addToken(context: Context, command: Command, name: string, options: TokenOptions): Promise<void> {
  const { role, workspace, tenant } = options
  requireNames(command, options, name)
  if (role === undefined) return command.error("error: required option '--role <role>' not specified")
  const token = await withDatabase(
    context,
    command,
    (room, database) => room.addToken(database, { name, role, workspace, tenant }),
    true,
  )
  context.io.out(`${token}\n`)
}

async function revokeToken(context: Context, command: Command, name: string, options: TokenOptions): Promise<void> {
  const { workspace, tenant } = options
  await withDatabase(context, command, (room, database) => room.revokeToken(database, { name, workspace, tenant }))
  context.io.out(`revoked  ${oneLine(name)}\n`)
}

async function listTokens(context: Context, command: Command): Promise<void> {
  const tokens = await withDatabase(context, command, (room, database) => room.listTokens(database))
  const rows = tokens.map(({ name, role, workspace, tenant, revoked }) => [
    name,
    role,
    workspace,
    tenant,
    revoked ? 'revoked' : '',
  ])
  context.io.out(table(rows))
}
