import type { Command } from 'commander'
import type { ReleaseDecision, ReleaseReport } from '../../index.js'
import { type Context, EXIT } from '../context.js'
import { type AsJson, json, jsonOption, pluralize } from '../output.js'
import { oneLine, printable } from '../printable.js'
import { runUntilSignal } from '../run-until-signal.js'
import { targetReview } from '../staged-paths.js'

export function register(command: Command, context: Context): void {
  command
    .description(
      'Approve and commit the staged changes that policy releases without a person: `approval.auto` in policy.yaml. Runs the checks that a ' +
        'tier needs first. Every other change stays pending, with the reasons. The exit code is 1 if a check or a reviewer stopped it.',
    )
    .argument('[session]', "the session's id; optional if only one session has staged changes")
    .addOption(jsonOption())
    .action((session: string | undefined, options: AsJson) => release(context, session, options))
}

async function release(context: Context, session: string | undefined, options: AsJson): Promise<void> {
  const { io, exit } = context
  const report = await runUntilSignal((signal) =>
    // Needs no person: the person decided when accepting the rules.
    context.withWorkspace(async (workspace) => {
      const review = await targetReview(workspace, session)
      return review.release({
        signal,
        ...(!options.json && { onOutput: (chunk: Uint8Array) => io.err(printable(Buffer.from(chunk).toString())) }),
      })
    }),
  )
  if (report.stopped !== undefined) exit(EXIT.refused)
  io.out(options.json ? json(report) : render(report))
}

function render({ decisions, approved, heldUntil, commit, stopped }: ReleaseReport): string {
  if (decisions.length === 0) return 'Nothing is staged.\n'
  const rows = decisions.map(row).join('')
  if (stopped !== undefined) return `${rows}Nothing was committed. ${oneLine(stopped)}\n`
  if (commit !== undefined)
    return `${rows}${pluralize(commit.paths.length, 'change')} released by rule: commit ${commit.id}, number ${commit.seq}.\n`
  if (heldUntil !== undefined)
    return `${rows}${pluralize(approved.length, 'change')} approved by rule and held until ${heldUntil}. Run this command again then. Reject a change to stop it.\n`
  return `${rows}No change was released by rule.\n`
}

function row({ path, tier, reasons }: ReleaseDecision): string {
  if (tier !== undefined) return `by rule  ${oneLine(path)}  (${oneLine(tier)})\n`
  return `pending  ${oneLine(path)}: ${oneLine(reasons.join('; '))}\n`
}
