import type { Command } from 'commander'
import type { ExecResult } from '../../index.js'
import { shellWord } from '../../surface/index.js'
import type { Context } from '../context.js'
import { requireIntent } from '../intents/require-intent.js'
import { json, jsonOption, pluralize } from '../output.js'
import { oneLine, printable } from '../printable.js'
import { exitCodeAfter, runUntilSignal } from '../run-until-signal.js'
import { withSession } from '../with-session.js'

interface Options {
  readonly intent?: string
  readonly network?: true
  readonly json?: true
}

export function register(command: Command, context: Context): void {
  command
    .description(
      "Run one command, such as the tests, on the staged files of a session. The command is contained: its changes are staged, and nothing reaches the disk. The exit code is the command's. For a program that needs the terminal, use 'escrow run'.",
    )
    .usage('[options] <session> -- <command> [arguments...]')
    .argument('<session>', "the session's id")
    .argument('<command...>', 'the command to run, after `--`')
    .option('--intent <id>', 'the intent that its changes are for')
    .option('--network', 'allow the network, if policy does (`terminal.network`)')
    .addOption(jsonOption('exit code, output, staged and refused changes'))
    .action((session: string, args: string[], options: Options) => execute(context, session, args, options))
}

async function execute({ io, asAgent, exit }: Context, id: string, args: string[], options: Options) {
  const { intent, network = false } = options
  const { result, code } = await runUntilSignal(async (signal) => {
    const result = await asAgent(async (workspace) => {
      if (intent !== undefined) await requireIntent(workspace, intent)
      return withSession(workspace, id, async (session) => {
        if (intent !== undefined) await session.selectIntent(intent)
        return session.exec(args, { network, signal })
      })
    })
    return { result, code: result.exitCode ?? exitCodeAfter(signal) }
  })
  if (options.json) io.out(json({ session: id, ...result }))
  else {
    // A pipe gets the output unchanged. At a terminal, control sequences are made visible.
    const toOutput = io.columns === undefined ? (text: string) => text : printable
    io.out(toOutput(result.stdout))
    io.err(toOutput(result.stderr))
    io.err(formatResult(id, result))
    if (result.exitCode === NO_PROGRAM) io.err(shellHint(id, args))
  }
  exit(code)
}

/** The exit code of a program that was not found, as in a shell. */
const NO_PROGRAM = 127

/** Shows how to run a shell command that was given as the name of a program. */
function shellHint(id: string, [line = '', ...others]: readonly string[]): string {
  if (others.length > 0 || !/\s/.test(line)) return ''
  return `No program has this name. To run it as a shell command: ${oneLine(`escrow exec ${shellWord(id)} -- sh -c ${shellWord(line)}`)}\n`
}

function formatResult(id: string, { effects, refused, ended, truncated }: ExecResult): string {
  const lines = [
    ...(ended === undefined ? [] : [`The command was stopped early: ${ended}.`]),
    ...(truncated ? ['The output was cut at 16 MiB.'] : []),
    ...refused.map(({ path, message }) => `refused  ${oneLine(path)}: ${oneLine(message)}`),
    ...(effects.changes.length === 0
      ? []
      : [`${pluralize(effects.changes.length, 'change')} staged. See the changes with 'escrow diff ${oneLine(id)}'.`]),
  ]
  return lines.map((line) => `${line}\n`).join('')
}
