import type { Command } from 'commander'
import type { SessionSummary, Workspace } from '../../index.js'
import type { Context } from '../context.js'
import { json, jsonOption, pluralize, table } from '../output.js'
import { oneLine } from '../printable.js'
import { refuseTogether } from '../usage.js'

interface Options {
  readonly json?: true
  readonly names?: true
  readonly prune?: true
}

/** The hooks of a client open its session for each call, so one that was used lately may be in use. */
const MIN_IDLE_MS = 24 * 60 * 60 * 1000

export function register(command: Command, { io, page, withWorkspace }: Context): void {
  command
    .description(
      'List the sessions: whether a process holds them, how much they have staged, and which agent works in them.',
    )
    .option('--names', 'print the ids alone, one per line')
    .option('--prune', 'remove those in which nothing was staged, refused or asked, and that were not used for a day')
    .addOption(jsonOption('an array of sessions'))
    .action(async ({ names, prune, ...options }: Options) => {
      refuseTogether(command, ['--prune', prune !== undefined], ['--names', names !== undefined])
      refuseTogether(command, ['--prune', prune !== undefined], ['--json', options.json !== undefined])
      if (prune) return io.out(`${pluralize(await withWorkspace(pruneSessions), 'session')} removed.\n`)
      const sessions = await withWorkspace((workspace) => workspace.sessions())
      if (options.json) io.out(json(sessions))
      else if (names) io.out(sessions.map(({ id }) => `${oneLine(id)}\n`).join(''))
      else if (sessions.length > 0) await page(table(sessions.map(sessionRow)))
      else io.out("No sessions. An agent's first call creates one; so does 'escrow run -- PROGRAM'.\n")
    })
}

/** Removes the empty sessions. Resolves with their number. */
async function pruneSessions(workspace: Workspace): Promise<number> {
  let removed = 0
  for (const { id, changes, live, damaged } of await workspace.sessions()) {
    const isAtRest = !live && changes === 0 && damaged === undefined
    if (isAtRest && (await workspace.removeEmptySession(id, { unusedMs: MIN_IDLE_MS }))) removed++
  }
  return removed
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
