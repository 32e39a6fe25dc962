import type { Command } from 'commander'
import type { Reviewer } from '../../index.js'
import { type Context, EXIT } from '../context.js'
import { counted } from '../output.js'
import { oneLine } from '../printable.js'
import { byOption } from '../reviewer.js'

interface Options {
  readonly by?: Reviewer
  readonly digest?: string
}

export function register(command: Command, context: Context): void {
  command
    .description(
      'Approve staged changes as they are now. Without paths: all but those rejected or changed on disk meanwhile.',
    )
    .argument('<session>', "the session's id")
    .argument('[paths...]', 'paths or globs, relative to the root of the workspace')
    .addOption(byOption())
    .option('--digest <digest>', "approve only while this is the change set, as 'escrow diff' named it")
    .action((session: string, paths: string[], options: Options) => approve(context, session, paths, options))
}

async function approve(context: Context, session: string, paths: string[], { by, digest }: Options): Promise<void> {
  const { io, withWorkspace } = context
  await withWorkspace(async (workspace) => {
    const review = await workspace.review(session)
    const set = await review.changes()
    if (digest !== undefined && digest !== set.digest) {
      io.err(`escrow: Session '${oneLine(session)}' has changed since it was shown. Nothing was approved.\n`)
      io.err(`Look again with 'escrow diff ${oneLine(session)}'.\n`)
      context.exit(EXIT.refused)
      return
    }
    const verdict = await review.approve(paths.length === 0 ? undefined : paths, by)
    const left = set.changes.map(({ path }) => path).filter((path) => !verdict.paths.includes(path))
    for (const path of verdict.paths) io.out(`approved  ${oneLine(path)}\n`)
    if (paths.length === 0) for (const path of left) io.out(`left out  ${oneLine(path)}\n`)
    io.out(`${counted(verdict.paths.length, 'change')} approved.${next(verdict.paths, session)}\n`)
  })
}

function next(approved: string[], session: string): string {
  return approved.length === 0 ? '' : ` Put on disk with 'escrow commit ${oneLine(session)}'.`
}
