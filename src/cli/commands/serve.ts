import type { Command } from 'commander'
import type { Reviewer } from '../../index.js'
import type { Context } from '../context.js'
import { byOption } from '../reviewer.js'
import { portOf, untilEnded } from '../serving.js'

interface Options {
  readonly port?: number
  /** The session the page begins with. */
  readonly session?: string
  readonly by?: Reviewer
}

export function register(command: Command, context: Context): void {
  command
    .description(
      'Serve the review page to a browser on this machine, and print its address with a token. Who has the address can ' +
        'decide, as you can here. It ends with Ctrl-C.',
    )
    .option('--port <port>', 'the port; a free one unless told', portOf)
    .addOption(byOption())
    .action((options: Options) => serve(context, options))
}

/** Serves the page until it is ended. */
export async function serve(
  { io, root, library, asReviewer }: Context,
  { session, ...options }: Options,
): Promise<void> {
  const { admitReviewer, hookToken } = await library()
  await asReviewer(async (workspace) => {
    // One there is none of is told now, not by the page.
    if (session !== undefined) await workspace.review(session)
    const { serveReview } = await import('../../web/index.js')
    const { claudeHookHandler } = await import('../../agents/claude/index.js')
    await untilEnded(async (signal) => {
      const admit = () => admitReviewer(root(), { terminal: io.terminal })
      const mounts = { '/hooks/claude': claudeHookHandler({ root: workspace.root, token: hookToken(workspace.root) }) }
      const served = await serveReview({ workspace, admit, mounts, ...options })
      io.out(`${served.url}${session === undefined ? '' : `#/review/${encodeURIComponent(session)}`}\n`)
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      await served.close()
    })
  })
}
