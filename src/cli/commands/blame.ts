import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import type { BlameLine } from '../../index.js'
import { authorOf } from '../../surface/index.js'
import { type Context, EXIT } from '../context.js'
import { json, jsonOption, table } from '../output.js'
import { oneLine } from '../printable.js'
import { withProgress } from '../progress.js'
import { nameInWorkspace, placeOf } from '../typed-path.js'

interface Options {
  readonly json?: true
  readonly lines?: Range
}

/** Line numbers from 1, both inclusive. */
interface Range {
  readonly from: number
  readonly to: number
}

export function register(command: Command, context: Context): void {
  const { io, page, exit, withWorkspace } = context
  command
    .description(
      'Show who wrote each line of a file: intent, model, session and approver. A ? before the approver marks a record that nothing on this machine anchors, a ~ before the author one that only a git note names, a ^ one whose record the ledger has lost and git still has.',
    )
    .argument('<path>', 'a file by its present name, relative to the root or to the current directory')
    .option('-L, --lines <range>', "only these lines: '10,20', '10,+5', '10,' or '10'", parseRange)
    .addOption(jsonOption('an array of lines'))
    .action(async (path: string, { lines: range = ALL_LINES, ...options }: Options) => {
      const { file, lines } = await withWorkspace(async (workspace) => {
        const name = nameInWorkspace(path, placeOf(workspace, context))
        const all = await withProgress(io, 'Reading the ledger', () => workspace.ledger.blame(name))
        return {
          file: resolve(workspace.root, name),
          lines: all.filter(({ line }) => line >= range.from && line <= range.to),
        }
      })
      if (lines.length === 0 && range !== ALL_LINES) {
        io.err(`escrow: '${oneLine(path)}' has no ${describeRange(range)}.\n`)
        return exit(EXIT.refused)
      }
      if (options.json) io.out(json(lines))
      else if (lines.length > 0) await page(render(lines, readFileSync(file, 'utf8').split('\n')))
    })
}

const ALL_LINES: Range = { from: 1, to: Number.POSITIVE_INFINITY }

function describeRange({ from, to }: Range): string {
  if (from === to) return `line ${from}`
  return to === ALL_LINES.to ? `lines from ${from} on` : `lines ${from} to ${to}`
}

/** Parses a line range as `git blame -L` does. */
function parseRange(text: string): Range {
  const [, start = '', comma, plus, end = ''] = /^(\d{1,9})?(?:(,)(\+)?(\d{1,9})?)?$/.exec(text) ?? []
  const from = start === '' ? 1 : Number(start)
  const to = plus ? from + Number(end) - 1 : end !== '' ? Number(end) : comma ? ALL_LINES.to : from
  if ((start === '' && end === '') || (plus && end === '') || from < 1 || to < from)
    throw new InvalidArgumentError("Give lines as '10,20', '10,+5', '10,' or '10'.")
  return { from, to }
}

function render(lines: readonly BlameLine[], text: readonly string[]): string {
  const rows = lines.map((line) => [
    ...creditColumns(line),
    `${line.line}`,
    (text[line.line - 1] ?? '').replaceAll('\t', '    '),
  ])
  const notes = lines.some(({ unanchored }) => unanchored) ? UNANCHORED : ''
  const claims = lines.some(({ imported }) => imported) ? IMPORTED : ''
  const lost = lines.some(({ fromGit }) => fromGit) ? FROM_GIT : ''
  return table(rows) + notes + claims + lost + whyUnknown(lines)
}

/** A sentence for each reason why lines have no author. */
function whyUnknown(lines: readonly BlameLine[]): string {
  const places = new Map<string, number[]>()
  for (const { line, why } of lines) if (why !== undefined) places.set(why, [...(places.get(why) ?? []), line])
  return [...places].map(([why, at]) => `Unknown in ${lineNumbers(at)}: ${oneLine(why)}.\n`).join('')
}

function lineNumbers(at: readonly number[]): string {
  const more = at.length > MOST_NUMBERS ? ` and ${at.length - MOST_NUMBERS} more` : ''
  return `line${at.length === 1 ? '' : 's'} ${at.slice(0, MOST_NUMBERS).join(', ')}${more}`
}

const MOST_NUMBERS = 10

const UNANCHORED = "? marks lines whose record nothing on this machine anchors. 'escrow verify' says more.\n"

const IMPORTED =
  '~ marks authors from a git note alone: the ledger has no record of the line, and anybody can write a note.\n'

const FROM_GIT =
  "^ marks authors whose record this ledger has lost: it was read from an older version of the ledger in git. 'escrow verify' says more.\n"

function creditColumns(line: BlameLine) {
  const { intentId = '-', sessionId = '-', approvedBy = '-', unanchored, imported, fromGit } = line
  return [
    intentId,
    `${fromGit ? '^ ' : imported ? '~ ' : ''}${authorOf(line)}`,
    sessionId,
    unanchored ? `? ${approvedBy}` : approvedBy,
  ].map(oneLine)
}
