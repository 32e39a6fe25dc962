import type { Command } from 'commander'
import type { McpHost } from '../../agents/mcp/index.js'
import type { Context } from '../context.js'
import { requireIntent } from '../intents/require-intent.js'
import { parsePort, startOnPort } from '../port.js'
import { runUntilSignal, untilAborted } from '../run-until-signal.js'

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
    .option('--http [port]', 'serve over HTTP on this machine, and print the address with its token', parsePort)
    .action((options: Options) => serve(context, options))
}

async function serve({ io, root, asAgent }: Context, { http, ...options }: Options): Promise<void> {
  const { intent } = options
  // Report a mistyped intent now, not at the client's first call.
  await asAgent(async (workspace) => void (intent !== undefined && (await requireIntent(workspace, intent))))
  // Only this command loads the MCP library.
  const { openMcpHost, serveMcpHttp, serveMcpStdio } = await import('../../agents/mcp/index.js')
  const host: McpHost = await openMcpHost(root(), { ...options, version: io.version })
  try {
    await runUntilSignal(async (signal) => {
      if (http === undefined) return serveMcpStdio(host, signal)
      const served = await startOnPort('--http', () => serveMcpHttp(host, http === true ? {} : { port: http }))
      io.out(`${served.url}\n`)
      await untilAborted(signal)
      await served.close()
    })
  } finally {
    await host.close()
  }
}
