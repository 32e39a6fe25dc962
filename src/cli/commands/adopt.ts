import { type Command, Option } from 'commander'
import { rootOf } from '../../index.js'
import { errorText } from '../../surface/index.js'
import { reportAdopted } from '../adopted.js'
import type { Context } from '../context.js'
import { type AsJson, jsonOption } from '../output.js'
import { oneLine } from '../printable.js'
import { withProgress } from '../progress.js'
import { readStdin } from '../read-stdin.js'

const HOOKS = ['post-rewrite', 'post-merge', 'post-checkout', 'post-commit'] as const
type Hook = (typeof HOOKS)[number]

interface Options extends AsJson {
  readonly range?: string
  readonly hook?: Hook
}

export function register(command: Command, context: Context): void {
  command
    .description(
      "Write git notes (refs/notes/ai) about who wrote the lines of git commits, so that blame still knows it when git has rewritten them and removed the old ones. The hooks of 'escrow init --git' do it after each rebase, amend, squash and pull.",
    )
    .argument('[commit...]', 'names of commits; HEAD by default')
    .option('--range <range>', "the commits of a range, such as 'main..feature'")
    .addOption(
      new Option('--hook <name>', "answer git's hook: its arguments follow, and its input is stdin. Never fails")
        .choices(HOOKS)
        .conflicts(['json', 'range']),
    )
    .addOption(jsonOption())
    .action(async (positionals: string[], options: Options) => {
      if (options.hook !== undefined) return answerHook(context, options.hook, positionals)
      const { io, withWorkspace } = context
      const ranges = options.range === undefined ? positionals : [...positionals, options.range]
      const revisions = ranges.length === 0 ? ['HEAD'] : ranges
      const report = await withWorkspace((workspace) =>
        withProgress(io, 'Following lines', () => workspace.adopt({ revisions })),
      )
      reportAdopted(context, report, options.json === true)
    })
}

/** An error here is ignored, because git's own command has already succeeded. */
async function answerHook({ io, directory, withWorkspace }: Context, name: Hook, args: string[]): Promise<void> {
  try {
    // An agent's git is private to its session, and a repository may have no workspace on this branch.
    if (process.env.ESCROW_SESSION || rootOf(directory()) === undefined) return
    const input = name === 'post-rewrite' && !io.terminal ? await readStdin() : ''
    await withWorkspace((workspace) => workspace.adopt({ hook: { name, args, input } }))
  } catch (error) {
    io.err(`escrow: the authors of lines were not recorded: ${oneLine(errorText(error))}\n`)
  }
}
