import { basename } from 'node:path'
import type { Command } from 'commander'
import type { Session } from '../../index.js'
import type { Context } from '../context.js'
import { counted } from '../output.js'
import { oneLine } from '../printable.js'
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
      'Run a program, an agent with all it starts, on the staged workspace and in this terminal. What it does is staged ' +
        'while it runs, and can be reviewed meanwhile; nothing reaches the disk. Ends as the program does.',
    )
    .usage('[options] -- <program> [arguments...]')
    .argument('<program...>', 'what to run, after `--`')
    .option('--session <id>', 'the session to work in; a new one unless told')
    .option('--intent <id>', "the intent to work for; the registry's active one unless told")
    .option('--network', 'let it use the network, where policy allows it (`terminal.network`)')
    .option(
      '--env <name[=value]>',
      'give it a variable; without a value your own, though it holds a secret',
      variable,
      {},
    )
    .action((program: string[], options: Options) => runProgram(context, program, options))
}

async function runProgram({ io, withWorkspace, exit }: Context, program: string[], options: Options): Promise<void> {
  const id = options.session ?? `run-${Date.now().toString(36)}`
  await withWorkspace(async (workspace) => {
    const session = await workspace.session({ id, agent: { tool: basename(program[0] ?? '') } })
    if (options.intent !== undefined) await session.selectIntent(options.intent)
    if (session.intent === undefined)
      io.err("escrow: No intent is selected, so all that it writes will be refused. Name one by '--intent'.\n")
    const { exitCode, summary } = await undisturbed((signal) => {
      const { network = false, env } = options
      return session.run(program, { network, env, signal })
    })
    const { changes } = await session.changes()
    io.err(`\n${summary.split('\n').map(oneLine).join('\n')}\n`)
    io.err(`${counted(changes.length, 'change')} staged in session '${oneLine(id)}'.${next(session, changes.length)}\n`)
    exit(exitCode ?? 1)
  })
}

function next({ id }: Session, staged: number): string {
  return staged === 0 ? '' : ` Look with 'escrow diff ${oneLine(id)}', then 'escrow approve ${oneLine(id)}'.`
}

/** What is typed is for the program alone; who ends us ends it first, and what it did until then is staged. */
async function undisturbed<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const deaf = () => undefined
  const end = () => controller.abort()
  for (const signal of TYPED) process.on(signal, deaf)
  for (const signal of ENDING) process.on(signal, end)
  try {
    return await work(controller.signal)
  } finally {
    for (const signal of TYPED) process.off(signal, deaf)
    for (const signal of ENDING) process.off(signal, end)
  }
}

const TYPED = ['SIGINT', 'SIGQUIT'] as const
const ENDING = ['SIGTERM', 'SIGHUP'] as const
