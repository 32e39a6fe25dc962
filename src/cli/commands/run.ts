import type { Command } from 'commander'
import type { Session } from '../../index.js'
import { type AgentOptions, addAgentOptions, openFor, runningBy } from '../agent-session.js'
import type { Context } from '../context.js'
import { pluralize } from '../output.js'
import { oneLine } from '../printable.js'
import { untilInterrupted } from '../run-until-signal.js'

export function register(command: Command, context: Context): void {
  addAgentOptions(command)
    .description(
      'Run a program, an agent with all it starts, on the staged workspace and in this terminal. What it does is staged ' +
        'while it runs, and can be reviewed meanwhile; nothing reaches the disk. Ends as the program does.',
    )
    .usage('[options] -- <program> [arguments...]')
    .argument('<program...>', 'what to run, after `--`')
    .action((program: string[], options: AgentOptions) => runProgram(context, program, options))
}

async function runProgram({ io, asAgent, exit }: Context, program: string[], options: AgentOptions): Promise<void> {
  await asAgent(async (workspace) => {
    const session = await openFor(program, workspace, options, { io, prefix: 'run' })
    const { exitCode, summary } = await untilInterrupted((signal) =>
      session.run(program, { ...runningBy(program, options), signal }),
    )
    const { changes } = await session.changes()
    io.err(`\n${summary.split('\n').map(oneLine).join('\n')}\n`)
    io.err(
      `${pluralize(changes.length, 'change')} staged in session '${oneLine(session.id)}'.${next(session, changes.length)}\n`,
    )
    exit(exitCode ?? 1)
  })
}

function next({ id }: Session, staged: number): string {
  return staged === 0 ? '' : ` Look with 'escrow diff ${oneLine(id)}', then 'escrow approve ${oneLine(id)}'.`
}
