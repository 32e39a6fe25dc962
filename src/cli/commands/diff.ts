import type { Command } from 'commander'
import type { Context } from '../context.js'
import { type AsJson, json, jsonOption } from '../output.js'
import { oneLine } from '../printable.js'
import { renderChangeSet } from '../render-diff.js'

export function register(command: Command, { io, page, colors, withWorkspace }: Context): void {
  command
    .description(
      'Show what a session has staged as a unified diff: deletions first, then what is protected, out of scope or in ' +
        'conflict, then by intent and tool call. Behind each @@ stands the id of the hunk. Invisible characters are named.',
    )
    .argument('<session>', "the session's id, as 'escrow status' lists it")
    .addOption(jsonOption())
    .action(async (session: string, options: AsJson) => {
      const set = await withWorkspace(async (workspace) => (await workspace.review(session)).changes())
      if (options.json) io.out(json(set))
      else if (set.changes.length === 0) io.out(`Nothing is staged in session '${oneLine(session)}'.\n`)
      else await page(renderChangeSet(set, colors))
    })
}
