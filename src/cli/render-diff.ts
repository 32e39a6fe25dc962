import type { Change, ChangeSet, Hunk } from '../index.js'
import {
  type Chapter,
  type ClassLabel,
  chaptersOf,
  classLabel,
  countLines,
  describeRun,
  describeRunInRows,
  flagReasons,
  foldReason,
  foldTitle,
  type ReviewOrder,
  rejectionLines,
  riskLines,
  type WorkEvent,
} from '../surface/index.js'
import type { Colors } from './context.js'
import { flagName } from './flag-name.js'
import { shortIds } from './hunks.js'
import { pluralize } from './output.js'
import { oneLine, printable } from './printable.js'

/** The longest line that is shown whole, in UTF-16 units. A minified file would hide everything else. */
const LINE_LIMIT = 2000

export interface DiffStyle {
  readonly order: ReviewOrder
  /** The events of the session in the ledger. */
  readonly work: readonly WorkEvent[]
  /** True to show lockfiles, generated files and pure formatting. */
  readonly unfold: boolean
}

/** A long argument would fill the screen before each step. The ledger has the whole command. */
const COMMAND_LIMIT = 400

/** The lines of a script that are listed. */
const SCRIPT_ROWS = 8

const WHERE_WHOLE = "all of them in 'escrow log --json'"

function shorten(text: string): string {
  const more = text.length - COMMAND_LIMIT
  return more <= 0 ? text : `${text.slice(0, COMMAND_LIMIT)} … ${more} more characters, ${WHERE_WHOLE}`
}

/** The first lines of a script, up to the same number of characters. */
function shortenLines(lines: readonly string[]): string[] {
  let length = 0
  const end = lines.findIndex((line, at) => {
    length += line.length
    return at > 0 && (at >= SCRIPT_ROWS || length > COMMAND_LIMIT)
  })
  const shown = (end < 0 ? lines : lines.slice(0, end)).map(shorten)
  return end < 0 ? shown : [...shown, `… ${pluralize(lines.length - end, 'more line')}, ${WHERE_WHOLE}`]
}

/** The lines of a script are indented, so that none of them looks like a line of the diff. */
function renderRun(run: Chapter['commands'][number]): string {
  const [first, ...lines] = describeRunInRows(run)
  if (lines.length === 0) return `   ${oneLine(describeRun({ ...run, command: shorten(run.command) }))}\n`
  const rows = shortenLines(lines).map((line) => `     ${printable(line)}\n`)
  return `   ${oneLine(first)}\n${rows.join('')}`
}

/** Renders a change set as `git diff` does, with a line for the state and flags of each change. */
export function renderChangeSet(set: ChangeSet, colors: Colors, { order, work, unfold }: DiffStyle): string {
  const count = set.changes.length
  const end = `${count} ${count === 1 ? 'change' : 'changes'}. Change set ${set.digest}\n`
  const short = shortIds(set)
  const groups = chaptersOf(set, order, work).map((chapter) => {
    const runs = chapter.commands.map(renderRun).join('')
    const head = `${colors.bold(`== ${oneLine(chapter.title)} ==`)}\n${runs}`
    const isFolded = chapter.folded === true && !unfold
    const body = chapter.changes.map((change) =>
      isFolded ? renderFolded(change, chapter, colors) : renderChange(change, chapter, short, colors),
    )
    return [head, ...body].join('\n')
  })
  return [...groups, end].join('\n')
}

/** Renders a folded file in two lines. */
function renderFolded(change: Change, chapter: Chapter, colors: Colors): string {
  const reason = foldReason(change)
  const { added, removed } = countLines([change])
  const why = reason === undefined ? '' : `${foldTitle(reason)}, `
  return `${headline(change, chapter, colors)}  ${why}+${added} -${removed}; name its path or give --unfold to see it\n`
}

function renderChange(change: Change, group: Chapter, short: ReadonlyMap<string, string>, colors: Colors): string {
  const header = headerOf(change).map((line) => `${colors.bold(line)}\n`)
  const hunks = change.hunks.map((hunk) => renderHunk(hunk, change, short.get(hunk.id) ?? hunk.id, colors))
  const reasons = flagReasons(change).map((why) => `${colors.magenta(`! ${oneLine(why)}`)}\n`)
  const rejections = rejectionLines(change).map((each) => `${colors.red(`! ${oneLine(each)}`)}\n`)
  const facts = riskLines(change).map((fact) => `${colors.magenta(`! ${oneLine(fact)}`)}\n`)
  return [headline(change, group, colors), ...rejections, ...facts, ...reasons, ...header, ...hunks].join('')
}

/** The line above a change. Leaves out what the group's title already shows. */
function headline(change: Change, group: Chapter, colors: Colors): string {
  const { path, kind, state, flags } = change
  const columns = [
    oneLine(path),
    kind,
    colorState(state, colors),
    ...flags.map((flag) => colors.magenta(flagName(flag))),
  ]
  const shownAlready = [group.intentId, group.callId]
  const label = classLabel(change)
  if (label) columns.push(formatClass(label))
  return `# ${[...columns, ...originLabels(change, shownAlready).map(oneLine)].join('  ')}\n`
}

/** The number of a change's tool calls that are listed. */
const CALLS_SHOWN = 3

/** The intent and first tool calls of a change, without those in `shownAlready`. */
export function originLabels(
  { intentId, calls = [] }: Pick<Change, 'intentId' | 'calls'>,
  shownAlready: readonly (string | undefined)[],
): string[] {
  const newCalls = calls.filter((call) => !shownAlready.includes(call))
  const more = newCalls.length - CALLS_SHOWN
  return [
    ...(intentId === undefined || shownAlready.includes(intentId) ? [] : [intentId]),
    ...newCalls.slice(0, CALLS_SHOWN),
    ...(more > 0 ? [`and ${pluralize(more, 'more call')}`] : []),
  ]
}

function formatClass({ measured, rule, declared }: ClassLabel): string {
  return `${measured} (${oneLine(rule)}${declared === undefined ? '' : `, declared ${declared}`})`
}

function colorState(state: Change['state'], colors: Colors): string {
  return { pending: colors.yellow, approved: colors.green, rejected: colors.red }[state](state)
}

function headerOf(change: Change): string[] {
  const [from, path] = [oneLine(change.from ?? change.path), oneLine(change.path)]
  const [before, after] = [
    change.before === null ? '/dev/null' : `a/${from}`,
    change.after === null ? '/dev/null' : `b/${path}`,
  ]
  const lines = [`diff --git a/${from} b/${path}`, ...modeLines(change)]
  if (change.from !== undefined) lines.push(`rename from ${from}`, `rename to ${path}`)
  if (change.flags.includes('binary')) lines.push(`Binary files ${before} and ${after} differ`)
  else if (change.flags.includes('large') && change.hunks.length === 0) {
    lines.push(`Files ${before} and ${after} differ, too large to be shown`)
  }
  if (change.hunks.length > 0) lines.push(`--- ${before}`, `+++ ${after}`)
  return lines
}

function modeLines({ kind, before, after, mode, flags }: Change): string[] {
  const type = kind === 'mkdir' ? '40' : flags.includes('symlink') ? '120' : '100'
  const octal = (bits: number) => type + (type === '120' ? '000' : bits.toString(8).padStart(3, '0'))
  if (mode === undefined) return []
  if (before === null && mode.after !== null) return [`new file mode ${octal(mode.after)}`]
  if (after === null && mode.before !== null) return [`deleted file mode ${octal(mode.before)}`]
  if (mode.before === null || mode.after === null) return []
  return [`old mode ${octal(mode.before)}`, `new mode ${octal(mode.after)}`]
}

function renderHunk({ text, state }: Hunk, change: Change, id: string, colors: Colors): string {
  const suffix = state === change.state ? '' : ` ${colorState(state, colors)}`
  const paint = (line: string, index: number) => {
    // Only the first line is a header. Every other line begins with its sign, whatever the file contains.
    if (index === 0) return `${colors.cyan(line)} ${id}${suffix}`
    if (line.startsWith('+')) return colors.green(line)
    return line.startsWith('-') ? colors.red(line) : line
  }
  const lines = text.split('\n').slice(0, -1)
  return lines.map((line, index) => `${paint(printable(truncateLine(line)), index)}\n`).join('')
}

function truncateLine(line: string): string {
  const more = line.length - LINE_LIMIT
  return more <= 0 ? line : `${line.slice(0, LINE_LIMIT)} … ${more} more characters, all of them with --json`
}
