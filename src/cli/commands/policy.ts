import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { CaseResult } from '../../backtest/index.js'
import type { ReleaseDecision } from '../../index.js'
import { type Context, EXIT } from '../context.js'
import { type AsJson, json, jsonOption, pluralize } from '../output.js'
import { oneLine } from '../printable.js'
import { rulesFor } from '../replay-rules.js'
import { targetReview } from '../staged-paths.js'

interface Options extends AsJson {
  readonly git?: string
  readonly policy?: string
  readonly intents?: string
}

export function register(command: Command, context: Context): void {
  command.description('Try policy.yaml on changes, without changing anything.')
  command
    .command('test')
    .description(
      'Show which tier of `approval.auto` would release each staged change, or each change of a git commit, or why none. ' +
        'With a directory of recorded cases, check that policy still decides each as expected, and exit with 1 if not.',
    )
    .argument(
      '[session]',
      "the session's id, optional if only one session has staged changes; or a directory of cases, such as ./cases",
    )
    .option('--policy <file>', "for cases: a policy.yaml; by default the workspace's, else the default rules")
    .option(
      '--intents <file>',
      "for cases: an active_intents.yaml; by default the workspace's, else one intent for every path",
    )
    .option('--git <commit>', 'try it on a git commit, compared with its first parent')
    .addOption(jsonOption())
    .action((session: string | undefined, options: Options) => test(context, session, options))
}

async function test(context: Context, session: string | undefined, options: Options) {
  const { io, withWorkspace, directory } = context
  const { git } = options
  const folder = session === undefined ? undefined : resolve(directory(), session)
  if (session !== undefined && folder !== undefined && (session.includes('/') || isDirectory(folder)))
    return testRecorded(context, folder, options)
  const decisions = await withWorkspace(async (workspace) => {
    if (git !== undefined) return workspace.testRelease(git)
    const review = await targetReview(workspace, session)
    return (await review.release({ dryRun: true })).decisions
  })
  io.out(options.json ? json({ decisions }) : renderDecisions(decisions))
}

/** Describes the decision of policy on each change. */
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

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** Decides recorded cases by the present rules, and shows those that are decided differently. */
async function testRecorded({ io, root, directory, exit }: Context, folder: string, options: Options) {
  // Only this loads it.
  const { testCases, caseName } = await import('../../backtest/index.js')
  const results = await testCases(folder, rulesFor(directory(), options, root))
  const changed = results.filter(({ passed }) => !passed)
  if (options.json) io.out(json({ cases: results.length, changed: changed.map(toDocument) }))
  else io.out(`${changed.map((each) => renderChange(each, caseName(each))).join('')}${summary(results, changed)}`)
  exit(changed.length === 0 ? EXIT.ok : EXIT.refused)
}

function toDocument({ file, number, case: { expect, reason, ...call }, actual }: CaseResult) {
  return { file, number, call, expected: { expect, reason }, actual }
}

function renderChange({ case: { expect, reason }, actual }: CaseResult, name: string): string {
  return `${oneLine(name)}\n  - ${inWords(expect, reason)}\n  + ${inWords(actual.expect, actual.reason)}\n`
}

function inWords(expect: string, reason: string | undefined): string {
  return reason === undefined ? expect : `${expect}, ${oneLine(reason)}`
}

function summary(results: readonly CaseResult[], changed: readonly CaseResult[]): string {
  const all = pluralize(results.length, 'case')
  return changed.length === 0
    ? `Policy decides ${all} as expected.\n`
    : `Policy decides ${changed.length} of ${all} differently.\n`
}
