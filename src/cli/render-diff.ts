import type { Change, ChangeSet, Hunk } from '../index.js'
import {
  type Chapter,
  type ClassLabel,
  chaptersOf,
  classLabel,
  countLines,
  describeRun,
  flagReasons,
  foldReason,
  foldTitle,
  type ReviewOrder,
  type WorkEvent,
} from '../surface/index.js'
import type { Colors } from './context.js'
import { shortIds } from './hunks.js'
import { pluralize } from './output.js'
import { oneLine, printable } from './printable.js'

/** Characters of one line that are shown: a minified file would hide all else. */
const LINE_LIMIT = 2000

export interface DiffStyle {
  readonly order: ReviewOrder
  /** What the ledger knows of the session's work. */
  readonly work: readonly WorkEvent[]
  /** Shows lockfiles, generated files and pure formatting as well. */
  readonly unfold: boolean
}

/** A change set as git would show it, each change under a line with its state and flags. */
export function renderChangeSet(set: ChangeSet, colors: Colors, { order, work, unfold }: DiffStyle): string {
  const count = set.changes.length
  const end = `${count} ${count === 1 ? 'change' : 'changes'}. Change set ${set.digest}\n`
  const short = shortIds(set)
  const groups = chaptersOf(set, order, work).map((chapter) => {
    const runs = chapter.commands.map((run) => `   ${oneLine(describeRun(run))}\n`).join('')
    const head = `${colors.bold(`== ${oneLine(chapter.title)} ==`)}\n${runs}`
    const isFolded = chapter.folded === true && !unfold
    const body = chapter.changes.map((change) =>
      isFolded ? renderFolded(change, chapter, colors) : renderChange(change, chapter, short, colors),
    )
    return [head, ...body].join('\n')
  })
  return [...groups, end].join('\n')
}

/** A file whose hunks are left out, in two lines. */
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
  return [headline(change, group, colors), ...reasons, ...header, ...hunks].join('')
}

/** What the group's title says is not said again. */
function headline(change: Change, group: Chapter, colors: Colors): string {
  const { path, kind, state, flags } = change
  const words = [oneLine(path), kind, colorState(state, colors), ...flags.map((flag) => colors.magenta(oneLine(flag)))]
  const told = [group.intentId, group.callId]
  const label = classLabel(change)
  if (label) words.push(classWord(label))
  return `# ${[...words, ...creditOf(change, told).map(oneLine)].join('  ')}\n`
}

/** Tool calls of a change that are named. */
const CALLS_SHOWN = 3

/** The intent and the first few tool calls of a change, but for what is told already. */
export function creditOf(
  { intentId, calls = [] }: Pick<Change, 'intentId' | 'calls'>,
  told: readonly (string | undefined)[],
): string[] {
  const untold = calls.filter((call) => !told.includes(call))
  const more = untold.length - CALLS_SHOWN
  return [
    ...(intentId === undefined || told.includes(intentId) ? [] : [intentId]),
    ...untold.slice(0, CALLS_SHOWN),
    ...(more > 0 ? [`and ${pluralize(more, 'more call')}`] : []),
  ]
}

function classWord({ measured, rule, declared }: ClassLabel): string {
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
  const own = state === change.state ? '' : ` ${colorState(state, colors)}`
  const paint = (line: string, index: number) => {
    // Only the first line is ours: the others begin with their mark, whatever the file says.
    if (index === 0) return `${colors.cyan(line)} ${id}${own}`
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
