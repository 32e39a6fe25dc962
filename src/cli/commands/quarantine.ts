import type { Command } from 'commander'
import { defined } from '../../core/defined.js'
import type { Quarantined, Refusal, Reviewer } from '../../index.js'
import type { RefusedPath } from '../../surface/index.js'
import { type Context, EXIT } from '../context.js'
import { requireIntent } from '../intents/require-intent.js'
import { json, jsonOption, pluralize, table } from '../output.js'
import { oneLine } from '../printable.js'
import { remediesIn, renderRemedies } from '../remedies.js'
import { byOption } from '../reviewer.js'
import { refuseAlone } from '../usage.js'

interface Options {
  readonly take?: string[]
  readonly drop?: string[]
  readonly intent?: string
  readonly by?: Reviewer
  readonly json?: true
}

export function register(command: Command, context: Context): void {
  command
    .description(
      "List changes of a session's commands that were refused. --take stages them for review, under the current policy. --drop deletes them for good.",
    )
    .argument('<session>', "the session's id")
    .option('--take <path...>', 'stage these paths or globs, and everything below them')
    .option('--drop <path...>', 'delete these paths or globs')
    .option('--intent <id>', 'with --take: the intent to stage them for')
    .addOption(byOption())
    .addOption(jsonOption())
    .action(async (session: string, options: Options) => {
      refuseAlone(command, ['--intent <id>', options.intent !== undefined], ['--take', options.take !== undefined])
      if (options.take === undefined && options.drop === undefined) return list(context, session, options)
      await decide(context, session, options)
    })
}

async function list({ io, withWorkspace }: Context, session: string, options: Options): Promise<void> {
  const quarantined = await withWorkspace(async (workspace) => (await workspace.review(session)).quarantined())
  if (options.json) {
    io.out(json(quarantined))
    return
  }
  io.out(table(quarantined.map((each) => [each.at, KIND_LABELS[each.kind], each.path, each.reason])))
  io.out(`${pluralize(quarantined.length, 'refused change')} in quarantine.${describeNextStep(quarantined, session)}\n`)
}

const KIND_LABELS: Readonly<Record<Quarantined['kind'], string>> = {
  gone: 'deleted',
  dir: 'directory',
  file: 'written',
  symlink: 'link',
  other: 'no file',
  unnamed: 'not UTF-8',
  git: 'repository',
}

function describeNextStep(quarantined: readonly Quarantined[], session: string): string {
  return quarantined.length === 0
    ? ''
    : ` Stage one with 'escrow quarantine ${oneLine(session)} --take PATH', or delete it with '--drop PATH'.`
}

async function decide({ io, asReviewer, exit }: Context, session: string, options: Options): Promise<void> {
  const { take, drop, by, intent } = options
  await asReviewer(async (workspace) => {
    if (intent !== undefined) await requireIntent(workspace, intent)
    const review = await workspace.review(session)
    for (const path of drop === undefined ? [] : await review.dropQuarantined(drop, by))
      io.out(`dropped  ${oneLine(path)}\n`)
    if (take === undefined) return
    const quarantined = new Map((await review.quarantined()).map((each) => [each.path, each.intentId]))
    const { taken, refused } = await review.takeQuarantined(take, by, intent)
    for (const path of taken) io.out(`staged   ${oneLine(path)}\n`)
    if (taken.length > 0) io.out(`See 'escrow diff ${oneLine(session)}'.\n`)
    if (refused.length === 0) return
    exit(EXIT.refused)
    const withIntents = refused.map((each) => withIntent(each, intent ?? quarantined.get(each.path)))
    io.err(renderRemedies(await remediesIn(workspace, withIntents, { session, isKept: true })))
  })
}

function withIntent({ path, reason }: Refusal, intentId: string | undefined): RefusedPath {
  return { path, reason, ...defined({ intentId }) }
}
