import { Argument, type Command } from 'commander'
import type { Context } from '../context.js'

const FORMATS = ['agent-trace', 'jsonl', 'flat', 'csv', 'git-ai']

export function register(command: Command, { io, withWorkspace }: Context): void {
  command
    .description(
      "Print the ledger for other tools, as agent-trace, jsonl, flat or csv. git-ai prints a note for the commit at HEAD: 'escrow export git-ai | git notes --ref=ai add -F - HEAD'.",
    )
    .addArgument(new Argument('<format>', 'how to print it').choices(FORMATS))
    .action(async (format: string) => {
      io.out(await withWorkspace((workspace) => workspace.ledger.export(format)))
    })
}
