import { type Command, Option } from 'commander'
import type { ChangeSet } from '../../index.js'
import { byRisk, type ReviewOrder, readSessionWork, shellWord, type WorkEvent } from '../../surface/index.js'
import type { Colors, Context } from '../context.js'
import { type AsJson, json, jsonOption, pluralize } from '../output.js'
import { oneLine } from '../printable.js'
import { renderChangeSet } from '../render-diff.js'
import { renderNameStatus, renderNames, renderStat } from '../render-stat.js'
import { changesAt, resolveTarget } from '../staged-paths.js'
import { placeOf } from '../typed-path.js'

interface Options extends AsJson {
  readonly stat?: true
  readonly nameOnly?: true
  readonly nameStatus?: true
  readonly by: ReviewOrder
  readonly unfold?: true
}

export function register(command: Command, context: Context): void {
  const { io, page, colors, argv, withWorkspace } = context
  command
    .description(
      'Show what a session has staged as a unified diff. Deletions come first, then changes that are protected, out of ' +
        'scope or in conflict, then the rest step by step, each with what the agent said and ran. With --by risk the most severe ' +
        'facts come first, each with its place. The id of each hunk is ' +
        'at its @@ line. Lockfiles, generated files and pure formatting are folded. Invisible characters are named.',
    )
    .usage('[options] [session] [--] [paths...]')
    .argument('[session]', "the session's id; optional if only one session has staged changes")
    .argument(
      '[paths...]',
      'limit to these paths or globs and everything below them, relative to the root or to the current directory',
    )
    .addOption(summaryOption('--stat', 'count the added and removed lines of each path'))
    .addOption(summaryOption('--name-only', 'print the paths alone, one per line'))
    .addOption(
      summaryOption('--name-status', 'print each path with a letter: A added, M modified, D deleted, R renamed'),
    )
    .addOption(
      new Option('--by <order>', 'order by step, by file or by risk').choices(['step', 'file', 'risk']).default('step'),
    )
    .option('--unfold', 'show the lines of folded files, too')
    .addOption(jsonOption())
    .action(async (session: string | undefined, paths: string[], options: Options) => {
      const positionals = session === undefined ? [] : [session, ...paths]
      const found = await withWorkspace(async (workspace) => {
        const place = placeOf(workspace, context)
        const { review, paths } = await resolveTarget(workspace, place, positionals, countAfterDashes(argv))
        const set = await review.changes({ risk: options.by === 'risk' })
        const changes = changesAt(set.changes, paths, place)
        if (options.by === 'risk') changes.sort(byRisk)
        // Only the whole diff shows it.
        const isWhole = !options.stat && !options.nameOnly && !options.nameStatus && !options.json
        const work = isWhole ? readSessionWork(workspace.root, review.sessionId) : []
        return {
          session: review.sessionId,
          refused: changes.length === 0 ? (await review.quarantined()).length : 0,
          set: { ...set, changes },
          work,
          unfold: options.unfold === true || paths.length > 0,
        }
      })
      if (options.json) io.out(json(found.set))
      else if (found.set.changes.length === 0) io.out(describeNothing(found))
      else await page(render(found, options, colors))
    })
}

function describeNothing({ session, refused }: { readonly session: string; readonly refused: number }): string {
  const name = oneLine(session)
  const nothing = `Nothing is staged in session '${name}'.\n`
  if (refused === 0) return nothing
  return `${nothing}Its quarantine has ${pluralize(refused, 'refused effect')}: escrow quarantine ${shellWord(name)}\n`
}

const SUMMARIES = ['stat', 'nameOnly', 'nameStatus']

function summaryOption(flag: string, about: string): Option {
  const option = new Option(flag, about)
  return option.conflicts(SUMMARIES.filter((name) => name !== option.attributeName()))
}

/** Counts the words after `--`. Returns undefined without `--`. */
function countAfterDashes(argv: readonly string[]): number | undefined {
  const at = argv.indexOf('--')
  return at < 0 ? undefined : argv.length - at - 1
}

interface StagedDiff {
  readonly set: ChangeSet
  readonly work: readonly WorkEvent[]
  readonly unfold: boolean
}

function render(
  { set, work, unfold }: StagedDiff,
  { stat, nameOnly, nameStatus, by }: Options,
  colors: Colors,
): string {
  if (stat) return renderStat(set.changes, colors)
  if (nameOnly) return renderNames(set.changes)
  return nameStatus ? renderNameStatus(set.changes) : renderChangeSet(set, colors, { order: by, work, unfold })
}
