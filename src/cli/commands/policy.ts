import type { Command } from 'commander'
import type { ReleaseDecision } from '../../index.js'
import type { Context } from '../context.js'
import { type AsJson, json, jsonOption } from '../output.js'
import { renderDecisions } from '../release-lines.js'
import { resolveTarget } from '../staged-paths.js'

interface Options extends AsJson {
  readonly git?: string
}

export function register(command: Command, context: Context): void {
  command.description('Try policy.yaml on changes, and do nothing.')
  command
    .command('test')
    .description(
      'Show which tier of `approval.auto` would release each staged change, or each change of a git commit, or why none.',
    )
    .argument('[session]', "the session's id; optional if only one session has staged changes")
    .option('--git <commit>', 'try it on a git commit, compared with its first parent')
    .addOption(jsonOption())
    .action((session: string | undefined, options: Options) => test(context, session, options))
}

async function test({ io, withWorkspace }: Context, session: string | undefined, options: Options) {
  const { git } = options
  const decisions: readonly ReleaseDecision[] =
    git !== undefined
      ? await withWorkspace((workspace) => workspace.testRelease(git))
      : await withWorkspace(async (workspace) => {
          const review =
            session === undefined ? (await resolveTarget(workspace, [], 0)).review : await workspace.review(session)
          return (await review.release({ dryRun: true })).decisions
        })
  io.out(options.json ? json({ decisions }) : renderDecisions(decisions))
}
