import { basename } from 'node:path'
import type { Command } from 'commander'
import type { Context } from '../context.js'
import { counted } from '../output.js'
import { oneLine } from '../printable.js'
import { untilEnded } from '../serving.js'
import { type Variables, variable } from '../variables.js'

interface Options {
  readonly session?: string
  readonly intent?: string
  readonly network?: true
  readonly env: Variables
}

export function register(command: Command, context: Context): void {
  command
    .description(
      'Stand between an editor and an agent of the Agent Client Protocol. The editor starts this in place of the agent; the ' +
        'agent runs on the staged workspace, and the files and commands it asks its editor for are served from there.',
    )
    .usage('[options] -- <agent> [arguments...]')
    .argument('<agent...>', 'the agent to start, after `--`')
    .option('--session <id>', 'the session to work in; a new one unless told')
    .option('--intent <id>', "the intent to work for; the registry's active one unless told")
    .option('--network', 'let it use the network, where policy allows it (`terminal.network`)')
    .option(
      '--env <name[=value]>',
      'give it a variable; without a value your own, though it holds a secret',
      variable,
      {},
    )
    .action((agent: string[], options: Options) => serve(context, agent, options))
}

async function serve({ io, withWorkspace, exit }: Context, agent: string[], options: Options): Promise<void> {
  const { serveAcp } = await import('../../agents/acp/index.js')
  const id = options.session ?? `acp-${Date.now().toString(36)}`
  const { network = false, env } = options
  await withWorkspace(async (workspace) => {
    const session = await workspace.session({ id, agent: { tool: basename(agent[0] ?? '') } })
    if (options.intent !== undefined) await session.selectIntent(options.intent)
    if (session.intent === undefined)
      io.err("escrow: No intent is selected, so all that it writes will be refused. Name one by '--intent'.\n")
    await untilEnded(async (signal) => {
      const streams = { input: process.stdin, output: process.stdout, log: io.err }
      exit((await serveAcp({ workspace, session, command: agent, network, env, signal, ...streams })) ?? 1)
    })
    const { changes } = await session.changes()
    io.err(`escrow: ${counted(changes.length, 'change')} staged in session '${oneLine(id)}'.\n`)
  })
}
