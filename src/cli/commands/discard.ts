import type { Command } from 'commander'
import type { Context } from '../context.js'
import { type SelectionOptions, selectionOf } from '../hunks.js'
import { type AsJson, json, jsonOption } from '../output.js'
import { oneLine } from '../printable.js'
import { addSelectionOptions, requireSelection } from '../selection-options.js'

export function register(command: Command, { io, asReviewer }: Context): void {
  addSelectionOptions(command)
    .description(
      'Remove staged changes from a session. The disk does not change. Name the paths, hunks or calls to remove.',
    )
    .argument('<session>', "the session's id")
    .argument('[paths...]', "paths or globs, relative to the root of the workspace; '**' for everything")
    .addOption(jsonOption())
    .action(async (session: string, paths: string[], options: SelectionOptions & AsJson) => {
      requireSelection(command, paths, options)
      const left = await asReviewer(async (workspace) => {
        const review = await workspace.review(session)
        await review.discard(selectionOf(paths, options, await review.changes()) ?? [])
        return (await review.changes()).changes.length
      })
      if (options.json) return io.out(json({ session, left }))
      const name = oneLine(session)
      const rest = left === 0 ? 'nothing is staged now' : `${left} left, see 'escrow diff ${name}'`
      io.out(`Discarded from session '${name}': ${rest}.\n`)
    })
}
