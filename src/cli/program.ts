import { Command } from 'commander'
import { COMMANDS } from './commands.js'
import type { Context } from './context.js'

/** The command with its global options and no commands yet. */
export function newProgram(): Command {
  return new Command('escrow')
    .description("Review, commit and trace an AI agent's staged writes.")
    .option('-C <dir>', 'use this directory instead of the working directory')
    .option('--no-pager', 'do not page long output')
}

/** All commands with all they take, for who describes them: help is shown by one that runs. */
export async function wholeProgram(context: Context): Promise<Command> {
  const program = newProgram()
  for (const { name, summary, load } of COMMANDS)
    (await load()).register(program.command(name).summary(summary), context)
  return program
}
