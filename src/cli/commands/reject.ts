import { type Command, InvalidArgumentError } from 'commander'
import type { Reviewer } from '../../index.js'
import type { Context } from '../context.js'
import { counted } from '../output.js'
import { oneLine } from '../printable.js'
import { byOption } from '../reviewer.js'

export function register(command: Command, { io, withWorkspace }: Context): void {
  command
    .description('Reject staged changes. They stay staged, are never committed, and the reason is given to the agent.')
    .argument('<session>', "the session's id")
    .argument('<paths...>', 'paths or globs, relative to the root of the workspace')
    .requiredOption('--reason <text>', 'what the agent is told', parseReason)
    .addOption(byOption())
    .action(async (session: string, paths: string[], options: { reason: string; by?: Reviewer }) => {
      const verdict = await withWorkspace(async (workspace) =>
        (await workspace.review(session)).reject(paths, options.reason, options.by),
      )
      for (const path of verdict.paths) io.out(`rejected  ${oneLine(path)}\n`)
      io.out(`${counted(verdict.paths.length, 'change')} rejected. The agent hears the reason at its next call.\n`)
    })
}

function parseReason(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('The agent needs to be told something.')
  return text
}
