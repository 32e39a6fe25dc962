import type { Command } from 'commander'
import type { ReleaseDecision } from '../../index.js'
import type { Context } from '../context.js'
import { type AsJson, json, jsonOption, pluralize } from '../output.js'
import { oneLine } from '../printable.js'
import { targetReview } from '../staged-paths.js'

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
  const decisions = await withWorkspace(async (workspace) => {
    if (git !== undefined) return workspace.testRelease(git)
    const review = await targetReview(workspace, session)
    return (await review.release({ dryRun: true })).decisions
  })
  io.out(options.json ? json({ decisions }) : renderDecisions(decisions))
}

/** What policy would do with each change. */
function renderDecisions(decisions: readonly ReleaseDecision[]): string {
  if (decisions.length === 0) return 'There is no change.\n'
  const rows = decisions.map(({ path, tier, reasons }) =>
    tier === undefined
      ? `needs a person  ${oneLine(path)}: ${oneLine(reasons.join('; '))}\n`
      : `would release  ${oneLine(path)}  (${oneLine(tier)})\n`,
  )
  const count = decisions.filter(({ tier }) => tier !== undefined).length
  return `${rows.join('')}${count} of ${pluralize(decisions.length, 'change')} would be released by rule.\n`
}
