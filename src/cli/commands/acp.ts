import type { Command } from 'commander'
import {
  type AgentOptions,
  addAgentOptions,
  dropIfEmpty,
  openAgentSession,
  resolveAgent,
  runOptionsOf,
} from '../agent-session.js'
import type { Context } from '../context.js'
import { pluralize } from '../output.js'
import { oneLine } from '../printable.js'
import { exitCodeAfter, runUntilSignal } from '../run-until-signal.js'

export function register(command: Command, context: Context): void {
  addAgentOptions(command)
    .description(
      'Run an agent of the Agent Client Protocol under escrow. Name this command in the editor in place of the agent. The agent works on the staged workspace, and escrow answers its requests for files and terminals from there.',
    )
    .usage('[options] -- <agent> [arguments...]')
    .argument('<agent...>', 'the agent to run, after `--`')
    .action((agent: string[], options: AgentOptions) => serve(context, agent, options))
}

async function serve({ io, asAgent, exit }: Context, agent: string[], options: AgentOptions): Promise<void> {
  const { serveAcp } = await import('../../agents/acp/index.js')
  await asAgent(async (workspace) => {
    const session = await openAgentSession(agent, workspace, options, { io, prefix: 'acp' })
    await runUntilSignal(async (signal) => {
      const code = await serveAcp({
        workspace,
        session,
        command: resolveAgent(agent, options),
        ...runOptionsOf(agent, options),
        signal,
        input: process.stdin,
        output: process.stdout,
        log: io.err,
      })
      exit(signal.aborted ? exitCodeAfter(signal) : (code ?? 1))
    })
    const { changes } = await session.changes()
    if (options.session === undefined && changes.length === 0 && (await dropIfEmpty(workspace, session)))
      return io.err('escrow: Nothing was staged.\n')
    io.err(`escrow: ${pluralize(changes.length, 'change')} staged in session '${oneLine(session.id)}'.\n`)
  })
}
