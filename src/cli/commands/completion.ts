import { resolve } from 'node:path'
import { Argument, type Command, Option } from 'commander'
import { candidatesFor, parseLine } from '../completion/candidates.js'
import { SCRIPTS, SHELLS, type Shell } from '../completion/scripts.js'
import { createSourceReader } from '../completion/values.js'
import type { Context } from '../context.js'
import { oneLine } from '../printable.js'

export function register(command: Command, context: Context): void {
  command
    .description('Print a script that completes commands, options and values in your shell.')
    .addArgument(new Argument('<shell>', 'your shell').choices(SHELLS))
    .addOption(new Option('--current <word>', 'for the scripts: list what can follow the words after `--`').hideHelp())
    .allowExcessArguments()
    .action((shell: Shell, { current }: { readonly current?: string }) =>
      current === undefined ? context.io.out(SCRIPTS[shell]) : printCandidates(context, command, current),
    )
}

/** Prints `value<TAB>description` for each candidate. Errors are silent, because the user is typing. */
async function printCandidates(context: Context, command: Command, current: string): Promise<void> {
  const { io, buildFullProgram, withWorkspace } = context
  const line = parseLine(await buildFullProgram(), command.args.slice(1))
  if (line.directory !== undefined) command.parent?.setOptionValue('C', resolve(io.cwd, line.directory))
  const found = await candidatesFor(line, current, (source, session) =>
    source === 'files' || source === 'text'
      ? Promise.resolve([])
      : withWorkspace((workspace) => createSourceReader(workspace)(source, session)).catch(() => []),
  )
  io.out(found.map(({ value, about }) => `${value}\t${oneLine(about).slice(0, MAX_DESCRIPTION_LENGTH)}\n`).join(''))
}

const MAX_DESCRIPTION_LENGTH = 80
