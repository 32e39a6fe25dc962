import type { Command } from 'commander'
import type { SessionSummary } from '../../index.js'
import type { Context } from '../context.js'
import { json, jsonOption, table } from '../output.js'
import { oneLine } from '../printable.js'

interface Options {
  readonly json?: true
  readonly names?: true
}

export function register(command: Command, { io, page, withWorkspace }: Context): void {
  command
    .description(
      'List the sessions: whether a process holds them, how much they have staged, and which agent works in them.',
    )
    .option('--names', 'print the ids alone, one per line')
    .addOption(jsonOption('an array of sessions'))
    .action(async ({ names, ...options }: Options) => {
      const sessions = await withWorkspace((workspace) => workspace.sessions())
      if (options.json) io.out(json(sessions))
      else if (names) io.out(sessions.map(({ id }) => `${oneLine(id)}\n`).join(''))
      else if (sessions.length > 0) await page(table(sessions.map(sessionRow)))
      else io.out("No sessions. An agent's first call creates one; so does 'escrow run -- PROGRAM'.\n")
    })
}

/** A table row: id, whether a process holds it, staged changes, agent. */
export function sessionRow({ id, live, changes, agent, damaged }: SessionSummary): string[] {
  return [
    id,
    live ? 'live' : 'at rest',
    damaged === undefined ? `${changes} staged` : 'damaged',
    agent?.model ?? agent?.tool ?? '',
  ]
}
