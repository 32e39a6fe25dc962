import type { Command } from 'commander'
import type { McpHost } from '../../agents/mcp/index.js'
import type { Context } from '../context.js'
import { knownIntent } from '../intents/known.js'
import { portOf, untilSignal } from '../run-until-signal.js'

interface Options {
  readonly session?: string
  readonly intent?: string
  readonly model?: string
  readonly askClient?: true
  readonly http?: true | number
}

export function register(command: Command, context: Context): void {
  command
    .description(
      'Serve the workspace to a client of the Model Context Protocol, over stdin and stdout. The tools are those of the official filesystem server; every write is staged.',
    )
    .option('--session <id>', 'the session to work in (default: a new one for each client)')
    .option('--intent <id>', 'the intent to work for (default: the selected one)')
    .option('--model <id>', "the model's name, for the ledger")
    .option(
      '--ask-client',
      "let the client's user answer questions, unless policy requires a proven person (`approval.by`)",
    )
    .option('--http [port]', 'serve over HTTP on this machine, and print the address with its token', portOf)
    .action((options: Options) => serve(context, options))
}

async function serve({ io, root, asAgent }: Context, { http, ...options }: Options): Promise<void> {
  const { intent } = options
  // Who started us hears now what is mistyped, and not the client at its first call.
  await asAgent(async (workspace) => void (intent !== undefined && (await knownIntent(workspace, intent))))
  // The adapter alone brings the protocol's library; no other command loads it.
  const { openMcpHost, serveMcpHttp, serveMcpStdio } = await import('../../agents/mcp/index.js')
  const host: McpHost = await openMcpHost(root(), { ...options, version: io.version })
  try {
    await untilSignal(async (signal) => {
      if (http === undefined) return serveMcpStdio(host, signal)
      const served = await serveMcpHttp(host, http === true ? {} : { port: http })
      io.out(`${served.url}\n`)
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      await served.close()
    })
  } finally {
    await host.close()
  }
}
