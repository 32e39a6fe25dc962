import type { Command } from 'commander'
import type { Reviewer, Workspace } from '../../index.js'
import type { ReviewServer } from '../../web/index.js'
import type { Context } from '../context.js'
import { parsePort, startOnPort } from '../port.js'
import { byOption } from '../reviewer.js'
import { runUntilSignal, untilAborted } from '../run-until-signal.js'

interface Options {
  readonly port?: number
  /** The session that the page opens first. */
  readonly session?: string
  readonly by?: Reviewer
  readonly open?: true
}

export function register(command: Command, context: Context): void {
  command
    .description(
      'Serve the review page to a browser on this machine, and print its address with a token. Anyone with the address can decide as you can. Ctrl-C stops it.',
    )
    .option('--port <port>', 'the port (default: a free one)', parsePort)
    .addOption(byOption())
    .option('--open', 'also open it in your browser')
    .action((options: Options) => serve(context, options))
}

/** Serves the page until a signal, and opens it in the person's browser, optionally at a session. */
export function openPage(context: Context, options: Pick<Options, 'by'>, session?: string): Promise<void> {
  return serve(context, { ...options, open: true }, session)
}

/** Reads the changes that the page will show first, while the browser starts. The page reads them again, and shows any error. */
async function prepareFirst(workspace: Workspace, served: ReviewServer, session?: string): Promise<void> {
  if (session !== undefined) return served.prepare(session)
  const [only, ...others] = (await workspace.sessions()).filter(({ changes }) => changes > 0)
  if (only !== undefined && others.length === 0) served.prepare(only.id)
}

async function serve(context: Context, { open, ...options }: Options, session?: string): Promise<void> {
  const { io, root, library, asReviewer } = context
  const { admitReviewer, admitTruster, hookToken } = await library()
  await asReviewer(async (workspace) => {
    // Report an unknown session now, not on the page.
    if (session !== undefined) await workspace.review(session)
    // Only this command loads the server's libraries.
    const { serveReview } = await import('../../web/index.js')
    const { openBrowser } = await import('../../surface/index.js')
    const { claudeHookListener } = await import('../../agents/claude/index.js')
    const view = session === undefined ? '' : `#/review/${encodeURIComponent(session)}`
    await runUntilSignal(async (signal) => {
      const { terminal } = io
      const admit = (act: 'decide' | 'accept') =>
        act === 'accept' ? admitTruster(root(), { terminal }, false) : admitReviewer(root(), { terminal })
      const mounts = { '/hooks/claude': claudeHookListener({ root: workspace.root, token: hookToken(workspace.root) }) }
      const served = await startOnPort('--port', () => serveReview({ workspace, admit, mounts, ...options }))
      prepareFirst(workspace, served, session).catch(() => undefined)
      io.out(`${served.url}${view}\n`)
      if (open) openBrowser(served.ticket() + view)
      await untilAborted(signal)
      await served.close()
    })
  })
}
