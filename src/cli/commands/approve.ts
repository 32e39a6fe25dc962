import type { Command } from 'commander'
import type { ChangeSet, Reviewer, Verdict } from '../../index.js'
import { type Context, EXIT } from '../context.js'
import { leftOut, renderVerdict, type SelectionOptions, selectionOf } from '../hunks.js'
import { type AsJson, json, jsonOption, pluralize } from '../output.js'
import { oneLine } from '../printable.js'
import { byOption } from '../reviewer.js'
import { addSelectionOptions, refuseMixedSelection } from '../selection-options.js'
import { namesOfStaged } from '../staged-paths.js'
import { placeOf } from '../typed-path.js'

interface Options extends SelectionOptions, AsJson {
  readonly by?: Reviewer
  readonly digest?: string
}

export function register(command: Command, context: Context): void {
  addSelectionOptions(command)
    .description(
      'Approve staged changes as they are now. Without paths, hunks or calls, approve every change except those that are rejected, in conflict, or changed on disk since the agent read them.',
    )
    .argument('<session>', "the session's id")
    .argument('[paths...]', 'paths or globs, relative to the root of the workspace or to the current directory')
    .addOption(byOption())
    .option('--digest <digest>', "approve only if the change set still has this digest, as 'escrow diff' prints it")
    .addOption(jsonOption())
    .action((session: string, paths: string[], options: Options) => {
      refuseMixedSelection(command, paths, options)
      return approve(context, session, paths, options)
    })
}

async function approve(context: Context, session: string, paths: string[], options: Options): Promise<void> {
  const { io, asReviewer } = context
  await asReviewer(async (workspace) => {
    const review = await workspace.review(session)
    const set = await review.changes()
    if (options.digest !== undefined && options.digest !== set.digest) {
      io.err(`escrow: Session '${oneLine(session)}' has changed since it was shown. Nothing was approved.\n`)
      io.err(`See it again with 'escrow diff ${oneLine(session)}'.\n`)
      context.exit(EXIT.refused)
      return
    }
    const selection = selectionOf(namesOfStaged(paths, set.changes, placeOf(workspace, context)), options, set)
    const verdict = await review.approve(selection, options.by)
    const left = leftOut(set, verdict).map(({ path }) => path)
    if (verdict.paths.length === 0) context.exit(EXIT.refused)
    if (options.json) return io.out(json({ session, verdict, left }))
    const { lines, amount } = renderVerdict(verdict, set)
    io.out(lines)
    const reasons = new Map(verdict.left?.map(({ path, message }) => [path, message]))
    if (selection === undefined) {
      const rejected = new Set(set.changes.flatMap(({ path, state }) => (state === 'rejected' ? [path] : [])))
      const why = (path: string) => reasons.get(path) ?? (rejected.has(path) ? `${path} is rejected.` : path)
      for (const path of left) io.out(`left out  ${oneLine(why(path))}\n`)
      io.out(rejectedHunks(set, verdict))
    }
    if (verdict.paths.length === 0) return io.err(describeNothing(set, session))
    io.out(`${amount} approved. Write to disk with 'escrow commit ${oneLine(session)}'.\n`)
  })
}

/** A line for each approved file of which hunks stay rejected. */
function rejectedHunks({ changes }: ChangeSet, verdict: Verdict): string {
  const paths = new Set(verdict.paths)
  const lines = changes.flatMap(({ path, hunks }) => {
    const count = hunks.filter(({ state }) => state === 'rejected').length
    return count > 0 && paths.has(path) ? [`left out  ${oneLine(path)}: ${pluralize(count, 'rejected hunk')}\n`] : []
  })
  return lines.join('')
}

function describeNothing({ changes }: ChangeSet, session: string): string {
  const id = oneLine(session)
  if (changes.length === 0)
    return `escrow: Nothing is staged in session '${id}', so nothing was approved.\n'escrow sessions' lists the sessions.\n`
  const merge = changes.some(({ flags }) => flags.includes('drifted'))
    ? `'escrow commit ${id} --merge' merges what changed on disk.\n`
    : ''
  return `escrow: Nothing was approved: every change is left out.\n'escrow diff ${id}' shows them, and 'escrow review ${id}' opens the review.\n${merge}`
}
