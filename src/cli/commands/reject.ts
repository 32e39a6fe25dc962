import { type Command, InvalidArgumentError } from 'commander'
import type { Reviewer } from '../../index.js'
import { stateOfSession } from '../../surface/index.js'
import type { Context } from '../context.js'
import { describeDelivery } from '../delivery.js'
import { renderVerdict, type SelectionOptions, selectionOf } from '../hunks.js'
import { type AsJson, json, jsonOption } from '../output.js'
import { byOption } from '../reviewer.js'
import { addSelectionOptions, requireSelection } from '../selection-options.js'
import { namesOfStaged } from '../staged-paths.js'
import { placeOf } from '../typed-path.js'

interface Options extends SelectionOptions, AsJson {
  readonly reason: string
  readonly by?: Reviewer
}

export function register(command: Command, context: Context): void {
  const { io, asReviewer, root } = context
  addSelectionOptions(command)
    .description('Reject staged changes and tell the agent why. They stay staged, and are never committed.')
    .argument('<session>', "the session's id")
    .argument('[paths...]', 'paths or globs, relative to the root of the workspace or to the current directory')
    .requiredOption('--reason <text>', 'the reason, for the agent', parseReason)
    .addOption(byOption())
    .addOption(jsonOption())
    .action(async (session: string, paths: string[], options: Options) => {
      requireSelection(command, paths, options)
      const { verdict, set } = await asReviewer(async (workspace) => {
        const review = await workspace.review(session)
        const set = await review.changes()
        const names = namesOfStaged(paths, set.changes, placeOf(workspace, context))
        const verdict = await review.reject(selectionOf(names, options, set) ?? [], options.reason, options.by)
        return { verdict, set }
      })
      if (options.json) return io.out(json({ session, verdict }))
      const { lines, amount } = renderVerdict(verdict, set)
      const isEmpty = verdict.paths.length === 0
      const delivery = isEmpty ? '' : ` ${describeDelivery(stateOfSession(root(), session), 'the reason')}`
      io.out(`${lines}${amount} rejected.${delivery}\n`)
    })
}

function parseReason(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('Give a reason that the agent can act on.')
  return text
}
