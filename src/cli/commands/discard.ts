import type { Command } from 'commander'
import type { Context } from '../context.js'
import { type SelectionOptions, selectionOf } from '../hunks.js'
import { type AsJson, json, jsonOption } from '../output.js'
import { oneLine } from '../printable.js'
import { addSelectionOptions, requireSelection } from '../selection-options.js'
import { namesOfStaged } from '../staged-paths.js'
import { placeOf } from '../typed-path.js'

export function register(command: Command, context: Context): void {
  const { io, asReviewer } = context
  addSelectionOptions(command)
    .description(
      'Remove staged changes from a session. The disk does not change. Name the paths, hunks or calls to remove.',
    )
    .argument('<session>', "the session's id")
    .argument(
      '[paths...]',
      "paths or globs, relative to the root of the workspace or to the current directory; '**' for everything",
    )
    .addOption(jsonOption())
    .action(async (session: string, paths: string[], options: SelectionOptions & AsJson) => {
      requireSelection(command, paths, options)
      const left = await asReviewer(async (workspace) => {
        const review = await workspace.review(session)
        const set = await review.changes()
        const names = namesOfStaged(paths, set.changes, placeOf(workspace, context))
        await review.discard(selectionOf(names, options, set) ?? [])
        return (await review.changes()).changes.length
      })
      if (options.json) return io.out(json({ session, left }))
      const name = oneLine(session)
      const rest = left === 0 ? 'nothing is staged now' : `${left} left, see 'escrow diff ${name}'`
      io.out(`Discarded from session '${name}': ${rest}.\n`)
    })
}
