import type { Command } from 'commander'
import { defined } from '../../core/defined.js'
import type { CheckedSelection, CheckReport, CheckStatus, IntentCheck, Reviewer } from '../../index.js'
import { briefCommand } from '../../surface/index.js'
import { renderChecklist } from '../checklist.js'
import { type Context, EXIT } from '../context.js'
import { json, jsonOption, pluralize } from '../output.js'
import { oneLine, printable } from '../printable.js'
import { byOption } from '../reviewer.js'
import { runUntilSignal } from '../run-until-signal.js'
import { targetReview } from '../staged-paths.js'
import { refuseTogether } from '../usage.js'

interface Options {
  readonly all?: true
  readonly approved?: true
  readonly status?: true
  readonly by?: Reviewer
  readonly json?: true
}

export function register(command: Command, context: Context): void {
  command
    .description(
      'Run the checks of the intents that staged changes are for: the commands among their acceptance criteria. Each runs contained, on ' +
        'the disk with the approved changes, or with everything that is staged where nothing is approved. What it writes is thrown away. ' +
        'The exit code is 1 if a check fails.',
    )
    .argument('[session]', "the session's id; optional if only one session has staged changes")
    .option('--approved', 'check the approved changes only')
    .option('--all', 'check everything that is staged')
    .option('--status', 'show what earlier runs have shown and the checklist, and run nothing')
    .addOption(byOption())
    .addOption(jsonOption())
    .action((session: string | undefined, options: Options, self: Command) => {
      refuseTogether(self, ['--all', options.all === true], ['--approved', options.approved === true])
      return check(context, session, options)
    })
}

async function check(context: Context, session: string | undefined, options: Options): Promise<void> {
  const { io } = context
  const selection: CheckedSelection | undefined = options.all ? 'all' : options.approved ? 'approved' : undefined
  if (options.status) return showStatus(context, session, selection, options)
  const report = await runUntilSignal((signal) =>
    context.withWorkspace(async (workspace) => {
      const review = await targetReview(workspace, session)
      return review.check({
        signal,
        ...defined({ selection, by: options.by }),
        ...(!options.json && { onStart: (each: IntentCheck, id: string) => io.err(announce(each, id)) }),
        ...(!options.json && { onOutput: (chunk: Uint8Array) => io.err(printable(Buffer.from(chunk).toString())) }),
      })
    }),
  )
  exitOf(context, report)
  io.out(options.json ? json(report) : render(report))
}

/** Shows the evidence and the checklist. */
async function showStatus(
  context: Context,
  session: string | undefined,
  selection: CheckedSelection | undefined,
  options: Options,
): Promise<void> {
  const { report, checklist } = await context.withWorkspace(async (workspace) => {
    const review = await targetReview(workspace, session)
    return { report: await review.checks(selection), checklist: await review.checklist() }
  })
  exitOf(context, report)
  context.io.out(options.json ? json({ ...report, checklist }) : render(report) + renderChecklist(checklist))
}

function exitOf({ exit }: Context, { checks }: CheckReport): void {
  if (checks.some(({ state }) => state !== 'passed')) exit(EXIT.refused)
}

function announce({ run }: IntentCheck, intentId: string): string {
  return `check    ${oneLine(intentId)}  ${oneLine(briefCommand(run))}\n`
}

const SELECTIONS = { approved: 'the approved changes', all: 'everything that is staged' } as const

function render({ selection, checks }: CheckReport): string {
  if (checks.length === 0)
    return "No check applies. Declare one with 'escrow intents edit ID --check COMMAND', or in the file of intents.\n"
  const passed = checks.filter(({ state }) => state === 'passed').length
  const rows = checks.map(row).join('')
  return `${rows}${passed} of ${pluralize(checks.length, 'check')} passed, on ${SELECTIONS[selection]}.\n`
}

function row({ intentId, check: { run }, state, evidence }: CheckStatus): string {
  const suffix = evidence === undefined ? '' : ` (${describeEnd(evidence)}, ${(evidence.duration / 1000).toFixed(1)} s)`
  return `${state.padEnd(7)}  ${oneLine(intentId)}  ${oneLine(briefCommand(run))}${suffix}\n`
}

function describeEnd({ exitCode, ended }: NonNullable<CheckStatus['evidence']>): string {
  return ended === undefined ? `exit code ${exitCode}` : `stopped: ${ended}`
}
