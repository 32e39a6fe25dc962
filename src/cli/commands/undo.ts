import type { Command } from 'commander'
import type { Context } from '../context.js'
import { type AsJson, json, jsonOption, pluralize } from '../output.js'
import { oneLine } from '../printable.js'

export function register(command: Command, { io, asReviewer }: Context): void {
  command
    .description('Stage the inverse of a commit in a session of its own. It is reviewed and committed like any other.')
    .argument('<commit>', "the commit's id or number, as 'escrow commit' named it")
    .addOption(jsonOption())
    .action(async (commit: string, options: AsJson) => {
      const { sessionId, changes } = await asReviewer(async (workspace) => {
        const review = await workspace.undo(commit)
        return { sessionId: review.sessionId, changes: (await review.changes()).changes }
      })
      if (options.json)
        return io.out(
          json({
            session: sessionId,
            changes: changes.map(({ path, flags }) => ({ path, drifted: flags.includes('drifted') })),
          }),
        )
      const session = oneLine(sessionId)
      for (const { path, flags } of changes) {
        io.out(`${flags.includes('drifted') ? 'drifted' : 'staged '}  ${oneLine(path)}\n`)
      }
      const drifted = changes.filter(({ flags }) => flags.includes('drifted')).length
      if (drifted > 0)
        io.out(`${pluralize(drifted, 'path')} changed on disk since that commit: not approved by default.\n`)
      io.out(`${pluralize(changes.length, 'change')} staged in session '${session}'. See 'escrow diff ${session}'.\n`)
    })
}
