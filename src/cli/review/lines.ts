import type { Change, Hunk, Question } from '../../index.js'
import {
  type Chapter,
  type CommandRun,
  commandLines,
  describeEnd,
  describeReach,
  describeRun,
  nameCommand,
  oneLine,
  type Token,
  wordDiff,
} from '../../surface/index.js'
import { flagName } from '../flag-name.js'
import { pluralize } from '../output.js'
import { originLabels } from '../render-diff.js'
import { type HunkLine, hunkLines, type Item, listCommands } from './document.js'
import { type Charset, columnsOf, fitLine, type Line, type Span, type Style, wrap, wrapHanging } from './text.js'

/** The tokens of each line of a file's new content. Removed lines have one colour. */
export type FileColors = readonly (readonly Token[])[]

export interface LayoutContext {
  readonly columns: number
  readonly charset: Charset
  readonly colorsOf: (change: Change) => FileColors | undefined
  /** True if a hunk appeared or changed since the reviewer last left this review. */
  readonly isNew: (change: Change, hunk: Hunk) => boolean
}

/** Wraps one line of an item into rows, without the gutter. */
export function layoutLine(item: Item, at: number, context: LayoutContext): Line[] {
  const { item: kind, change, hunk, group, question } = { ...item, item: item.kind }
  if (kind === 'hunk' && hunk && change) return hunkRows(hunk, change, at, context)
  if (kind === 'group' && group) return groupRows(group, at, context)
  if (kind === 'question' && question) return questionRows(question, at, context)
  return change ? fileRows(change, at, item, context) : [[]]
}

function groupRows(group: Chapter, at: number, context: LayoutContext): Line[] {
  if (at === 0) return [[]]
  if (at === 1) {
    const style = group.attention === undefined ? 'group' : 'warn'
    return hanging({ text: `== ${oneLine(group.title)} ==`, style }, 3, context)
  }
  const { shown, others } = listCommands(group)
  const run = shown[at - 2]
  if (run !== undefined) return runRows(run, context)
  return hanging({ text: `  and ${pluralize(others, 'other command')}`, style: 'dim' }, RUN_HANG, context)
}

/** Rows of a command at most. The end of its last row says how it ended. */
const RUN_ROWS = 2
const RUN_HANG = 6

function runRows(run: CommandRun, context: LayoutContext): Line[] {
  const rows = hanging({ text: `  ${oneLine(describeRun(run))}`, style: 'dim' }, RUN_HANG, context)
  const [first, second] = rows
  if (first === undefined || second === undefined || rows.length <= RUN_ROWS) return rows
  const end = oneLine(describeEnd(run))
  const width = Math.max(1, context.columns - columnsOf(end, context.charset))
  const rest = [second, ...rows.slice(2).map((row) => row.slice(1))].flatMap((row) => [...row, SPACE])
  return [first, [...fitLine(rest, { width, charset: context.charset }, 'dim'), { text: end, style: 'dim' }]]
}

const SPACE: Span = { text: ' ', style: 'dim' }

function hanging(span: Span, hang: number, { columns, charset }: LayoutContext): Line[] {
  return wrapHanging([span], { width: columns, charset, hang })
}

function questionRows(question: Question, at: number, context: LayoutContext): Line[] {
  if (at === 0) return [[]]
  if (at === 1) return askedRows(question, context)
  const more = question.kind === 'access' ? ', t allow its directory' : ''
  const once = question.kind === 'scope' ? '' : ', o once, r allow and remember'
  return hanging({ text: `  y allow, n deny${once}${more}`, style: 'dim' }, 2, context)
}

/** Every character of the question is shown, because a person decides on it. The lines of a script have a mark. */
function askedRows(question: Question, { columns, charset }: LayoutContext): Line[] {
  const shape = { width: columns, charset, words: false }
  const first = wrapHanging([{ text: `? ${questionText(question)}`, style: 'warn' }], { ...shape, hang: 2 })
  const lines = question.kind === 'command' ? commandLines(question.command) : []
  if (lines.length < 2) return first
  const script = lines.map((text): Span[] => [
    { text: '  | ', style: 'dim' },
    { text, style: 'plain' },
  ])
  return [...first, ...script.flatMap((spans) => wrapHanging(spans, { ...shape, hang: 6 }))]
}

function questionText(question: Question): string {
  if (question.kind === 'access') return `May it write ${question.path}? The rule ${question.rule} asks.`
  if (question.kind === 'command') {
    const where = question.cwd === '' ? '' : ` in ${question.cwd}`
    return `May it run ${nameCommand(question.command)}${where}? ${question.rules.join(', ')} asks: ${question.why}`
  }
  const reach = question.reach === undefined ? '' : ` ${describeReach(question.reach)}`
  return `May ${question.intentId} own ${question.globs.join(', ')} too? It says: ${question.why}${reach}`
}

export const STATE_STYLE: Readonly<Record<Change['state'], Style>> = { pending: 'wait', approved: 'ok', rejected: 'no' }

function fileRows(change: Change, at: number, item: Item, context: LayoutContext): Line[] {
  if (at > 0) return hanging({ text: `  ${item.notes?.[at - 1] ?? ''}`, style: 'dim' }, 4, context)
  return wrap(fileSpans(change, item), { width: context.columns, charset: context.charset })
}

function fileSpans(change: Change, { group }: Item): Span[] {
  const { path, kind, state, flags } = change
  const shownAlready = [group?.intentId, group?.callId]
  return [
    { text: path, style: 'bold' },
    { text: `  ${kind}  `, style: 'dim' },
    { text: state, style: STATE_STYLE[state] },
    ...flags.map((flag): Span => ({ text: `  ${flagName(flag)}`, style: 'warn' })),
    ...originLabels(change, shownAlready).map((text): Span => ({ text: `  ${text}`, style: 'dim' })),
  ]
}

/** Marks each continuation row, so that no part of a line looks like a separate line. */
function hunkRows(hunk: Hunk, change: Change, at: number, context: LayoutContext): Line[] {
  const line = hunkLines(hunk)[at]
  if (line === undefined) return [[]]
  const { charset, columns } = context
  if (line.index === 0) {
    const state: Span = { text: `  ${hunk.state}`, style: STATE_STYLE[hunk.state] }
    const news: Span[] = context.isNew(change, hunk) ? [{ text: '  new', style: 'warn' }] : []
    return wrap([{ text: line.text, style: 'hunk' }, state, ...news], { width: columns, charset })
  }
  const continuation: Span = { text: charset === 'utf-8' ? '↪' : '\\', style: 'dim' }
  const sign = line.text.slice(0, 1)
  const first: Span = line.from > 0 ? continuation : { text: sign, style: signStyle(sign) }
  const shape = { width: columns - 1, charset, tabs: true }
  return wrap(codeSpans(hunk, change, line, context), shape).map((row, index) => [
    index === 0 ? first : continuation,
    ...row,
  ])
}

function signStyle(sign: string): Style {
  return sign === '+' ? 'ok' : sign === '-' ? 'no' : 'dim'
}

function codeSpans(hunk: Hunk, change: Change, line: HunkLine, { colorsOf }: LayoutContext): Span[] {
  const whole = partsOf(hunk)
  const kind = whole.text[line.index]?.[0]
  const lineStyle: Style = kind === '+' ? 'add' : kind === '-' ? 'remove' : kind === '\\' ? 'dim' : 'plain'
  if (line.from > 0) return [{ text: line.text, style: lineStyle }]
  const text = line.text.slice(1)
  const number = whole.numbers[line.index]
  const tokens = number === undefined ? undefined : colorsOf(change)?.[number - 1]
  const colored = kind === '-' || kind === '\\' ? undefined : tokens
  const spans =
    colored && matchesText(colored, text)
      ? colored.map((token) => tokenSpan(token, lineStyle))
      : [{ text, style: lineStyle }]
  return markWords(spans, whole.words[line.index] ?? [], kind === '+' ? 'addWord' : 'removeWord')
}

/** True if the tokens belong to this text. The staged content may have changed since it was highlighted. */
function matchesText(tokens: readonly Token[], text: string): boolean {
  return tokens.map((token) => token.text).join('') === text
}

const TOKEN_STYLES: Readonly<Record<string, Style>> = {
  keyword: 'keyword',
  built_in: 'keyword',
  literal: 'number',
  number: 'number',
  string: 'string',
  regexp: 'string',
  comment: 'comment',
  title: 'name',
  attr: 'name',
  attribute: 'name',
  tag: 'name',
  section: 'name',
}

function tokenSpan({ text, kind }: Token, lineStyle: Style): Span {
  return { text, style: (kind === undefined ? undefined : TOKEN_STYLES[kind]) ?? lineStyle }
}

/** @param changedSpans changed words, as offsets in the line with its sign */
function markWords(
  spans: readonly Span[],
  changedSpans: readonly { from: number; to: number }[],
  style: Style,
): Span[] {
  if (changedSpans.length === 0) return [...spans]
  const out: Span[] = []
  let at = 1
  for (const span of spans) {
    const end = at + span.text.length
    let from = at
    for (const word of changedSpans) {
      const [start, stop] = [Math.max(word.from, from), Math.min(word.to, end)]
      if (start >= stop) continue
      if (start > from) out.push({ text: span.text.slice(from - at, start - at), style: span.style })
      out.push({ text: span.text.slice(start - at, stop - at), style })
      from = stop
    }
    if (from < end) out.push({ text: span.text.slice(from - at), style: span.style })
    at = end
  }
  return out
}

interface Parts {
  readonly text: readonly string[]
  /** The line numbers in the new content. Undefined for removed lines. */
  readonly numbers: readonly (number | undefined)[]
  readonly words: ReturnType<typeof wordDiff>
}

const PARTS = new WeakMap<Hunk, Parts>()
/** Hunks with more lines than this get no word diff. */
const WORDS_LIMIT = 400

function partsOf(hunk: Hunk): Parts {
  const known = PARTS.get(hunk)
  if (known !== undefined) return known
  const text = hunk.text.split('\n')
  let next = hunk.newLines === 0 ? hunk.newStart + 1 : hunk.newStart
  const numbers = text.map((line, index) => {
    return index > 0 && (line.startsWith('+') || line.startsWith(' ')) ? next++ : undefined
  })
  const parts = { text, numbers, words: text.length > WORDS_LIMIT ? [] : wordDiff(hunk.text) }
  PARTS.set(hunk, parts)
  return parts
}
