import type { Command } from 'commander'
import { type AgentOptions, addAgentOptions, openAgentSession, runHere } from '../agent-session.js'
import type { Context } from '../context.js'
import { reportRun } from '../run-report.js'

export function register(command: Command, context: Context): void {
  addAgentOptions(command)
    .description(
      "Run a program, with everything it starts, on the staged workspace in this terminal. You can review its changes while it runs; nothing reaches the disk until you commit. The exit code is the program's.",
    )
    .usage('[options] -- <program> [arguments...]')
    .argument('<program...>', 'the program to run, after `--`')
    .action((program: string[], options: AgentOptions) => runProgram(context, program, options))
}

async function runProgram({ io, asAgent, exit }: Context, program: string[], options: AgentOptions): Promise<void> {
  await asAgent(async (workspace) => {
    const session = await openAgentSession(program, workspace, options, { io, prefix: 'run' })
    const run = { startedAt: Date.now(), isNamed: options.session !== undefined }
    const result = await runHere(session, program, options)
    await reportRun(io, workspace, session, run, result)
    exit(result.exitCode)
  })
}
