import { type Command, Option } from 'commander'
import { defined } from '../../core/defined.js'
import type { GitCommitPer, Reviewer } from '../../index.js'
import { type Context, EXIT } from '../context.js'
import { oneLine } from '../printable.js'
import { byOption } from '../reviewer.js'
import { resolveTarget } from '../staged-paths.js'
import { placeOf } from '../typed-path.js'
import { refuseAlone } from '../usage.js'

interface Options {
  readonly by?: Reviewer
  readonly web?: true
  readonly export?: string
  readonly per?: GitCommitPer
  /** True for the hub of this workspace. */
  readonly hub?: string | true
}

export function register(command: Command, context: Context): void {
  command
    .description(
      'Review staged changes in the terminal, hunk by hunk, with the keys of `git add -p`; ? lists them. The screen follows what the agent writes. Verdicts are kept when you leave.',
    )
    .argument('[session]', "the session's id; without it, choose from a list")
    .option('--web', "review in a browser, as with 'escrow serve'")
    .option(
      '--hub [url]',
      'review what waits on a hub, by default that of this workspace; the variable ESCROW_HUB_TOKEN has the token of a reviewer',
    )
    .option(
      '--export <directory>',
      'write the review for somebody without escrowfs: an HTML page, and everything staged as patches for `git am`',
    )
    .addOption(
      new Option('--per <what>', 'with --export: what becomes one patch').choices([
        'all',
        'intent',
        'step',
        'proposal',
      ]),
    )
    .addOption(byOption())
    .action((session: string | undefined, options: Options) => {
      refuseAlone(command, ['--per <what>', options.per !== undefined], ['--export', options.export !== undefined])
      return review(context, session, options)
    })
}

function withoutTerminal(session: string | undefined, isOnHub: boolean): string {
  if (isOnHub)
    return "A review on a hub needs a terminal, and this is not one. Nothing was changed.\nDecide on the hub's page in a browser.\n"
  const name = session === undefined ? 'SESSION' : oneLine(session)
  return `A review needs a terminal, and this is not one. Nothing was changed.\nSee the changes with 'escrow diff ${name}'. Decide with 'escrow approve ${name}' or 'escrow reject ${name}'.\n`
}

/** Opens the terminal review of a session. Other commands call it as their last step. */
export function openReview(context: Context, session: string): Promise<void> {
  return review(context, session, {})
}

async function review(context: Context, session: string | undefined, options: Options): Promise<void> {
  const { io, asReviewer, library, exit, withWorkspace } = context
  const { by, web, per, hub } = options
  if (options.export !== undefined) {
    const { exportReview } = await import('../export-review.js')
    return exportReview(context, session, options.export, per)
  }
  if (web) {
    const { openPage } = await import('./serve.js')
    return openPage(context, { ...(by && { by }) }, session)
  }
  if (!io.terminal || process.stdin.isTTY !== true || process.stdout.isTTY !== true) {
    if (hub === undefined && session !== undefined)
      // For an unknown session, the answer of `escrow diff`.
      await withWorkspace((workspace) => resolveTarget(workspace, placeOf(workspace, context), [session], undefined))
    io.err(`escrow: ${withoutTerminal(session, hub !== undefined)}`)
    exit(EXIT.usage)
    return
  }
  const { editText } = await library()
  if (hub !== undefined) {
    const { reviewOnHub } = await import('../review/on-hub.js')
    return reviewOnHub(context, hub, { ...defined({ session }), color: io.color, editText })
  }
  const { code, summary } = await asReviewer(async (workspace) => {
    const { offerTrust } = await import('./trust.js')
    await offerTrust(context, workspace, by)
    const { reviewInTerminal } = await import('../review/app.js')
    const { localSource } = await import('../review/local-source.js')
    return reviewInTerminal(localSource(workspace, by), { ...defined({ session }), color: io.color, editText })
  })
  io.out(summary)
  exit(code)
}
