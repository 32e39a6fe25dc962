import type { Command } from 'commander'
import type { Reviewer } from '../../index.js'
import type { Context } from '../context.js'
import { byOption } from '../reviewer.js'
import { portOf, untilEnded } from '../serving.js'

interface Options {
  readonly port?: number
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

/** Bytes. The handler has a limit of its own below this, and says so in words a client heeds. */
const HOOK_BODY = 64 * 1024 * 1024

/** Serves the page until it is ended. */
export async function serve({ io, root, library, asReviewer }: Context, options: Options = {}): Promise<void> {
  const { admitReviewer, hookToken } = await library()
  await asReviewer(async (workspace) => {
    const { serveReview } = await import('../../web/index.js')
    const { claudeHookHandler, HOOK_PATH } = await import('../../agents/claude/index.js')
    await untilEnded(async (signal) => {
      const admit = () => admitReviewer(root(), { terminal: io.terminal })
      const handle = claudeHookHandler({ root: root(), token: hookToken(root()) })
      const mounts = { [HOOK_PATH]: { handle, bodyLimit: HOOK_BODY } }
      const served = await serveReview({ workspace, admit, mounts, ...options })
      io.out(`${served.url}\n`)
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      await served.close()
    })
  })
}
