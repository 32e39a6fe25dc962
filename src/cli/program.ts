import { Command } from 'commander'
import { COMMANDS } from './commands.js'
import type { Context } from './context.js'

/** Creates the `escrow` program with its global options, without commands. */
export function createProgram(): Command {
  return new Command('escrow')
    .description("Review, commit and trace an AI agent's staged writes.")
    .option('-C <dir>', 'use this directory instead of the working directory')
    .option('--no-pager', 'do not page long output')
}

/** Builds the program with the arguments and options of every command, for documentation and completion. */
export async function buildFullProgram(context: Context): Promise<Command> {
  const program = createProgram()
  for (const { name, summary, load } of COMMANDS)
    (await load()).register(program.command(name).summary(summary), context)
  return program
}
