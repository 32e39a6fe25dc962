import type { Hunk } from '../index.js'
import { type Highlighter, printableParts, type TextSpan, type Token, wordDiff } from '../surface/index.js'
import type { DiffLine, DiffRow, Layout, Piece } from './wire.js'

/** The tokens of both sides, line by line, if known. */
export interface Colours {
  readonly before: readonly (readonly Token[])[] | undefined
  readonly after: readonly (readonly Token[])[] | undefined
}

/** A file's hunks as rows, and the first row of each hunk. */
export interface Rows {
  readonly rows: Readonly<Record<Layout, readonly DiffRow[]>>
  readonly at: ReadonlyMap<string, Readonly<Record<Layout, number>>>
}

/** Most characters of a line to show: a minified line would hide everything else. */
const MAX_LINE_LENGTH = 2_000

/** The rows of both layouts. */
export function rowsOf(hunks: readonly Hunk[], colours: Colours): Rows {
  const [unified, split]: [DiffRow[], DiffRow[]] = [[], []]
  const at = new Map<string, Record<Layout, number>>()
  for (const hunk of hunks) {
    at.set(hunk.id, { unified: unified.length, split: split.length })
    const lines = linesOf(hunk, colours)
    for (const line of lines) unified.push(line)
    for (const row of pairLines(lines)) split.push(row)
  }
  return { rows: { unified, split }, at }
}

/** Highlights a text by line; undefined for no text or an unknown grammar. */
export function highlightLines(
  highlight: Highlighter,
  path: string,
  content: Uint8Array | undefined,
): Colours['before'] {
  if (content === undefined) return undefined
  const text = new TextDecoder().decode(content)
  // Hunks split such a text into other lines.
  return text.includes('\uFFFD') ? undefined : highlight(path, text)
}

function linesOf({ id, text, oldStart, newStart }: Hunk, colours: Colours): DiffLine[] {
  const spans = wordDiff(text)
  let [o, n] = [oldStart, newStart]
  return text
    .split('\n')
    .slice(0, -1)
    .map((line, index): DiffLine => {
      const mark = line[0]
      if (index === 0) return { t: '@', hunk: id, s: pieces(line, undefined, []) }
      if (mark === '\\') return { t: '\\', s: pieces(line.slice(2), undefined, []) }
      const [isOld, isNew] = [mark !== '+', mark !== '-']
      const numbers = { ...(isOld && { o }), ...(isNew && { n }) }
      const tokens = isNew ? colours.after?.[n - 1] : colours.before?.[o - 1]
      if (isOld) o++
      if (isNew) n++
      const t = isOld && isNew ? ' ' : isNew ? '+' : '-'
      return { t, ...numbers, s: pieces(line.slice(1), tokens, spans[index] ?? []) }
    })
}

/** The text of a row in lower case. */
export function searchText(row: DiffRow): string {
  const textOf = (line: DiffLine | null) =>
    line?.s.map((piece) => (typeof piece === 'string' ? piece : piece[0])).join('') ?? ''
  const text = 't' in row ? (row.t === '@' ? '' : textOf(row)) : `${textOf(row[0])}\n${textOf(row[1])}`
  return text.toLowerCase()
}

/** Pairs removed and added lines side by side, run by run. */
function pairLines(lines: readonly DiffLine[]): DiffRow[] {
  const rows: DiffRow[] = []
  let [old, fresh]: [DiffLine[], DiffLine[]] = [[], []]
  const flush = () => {
    for (let at = 0; at < Math.max(old.length, fresh.length); at++) rows.push([old[at] ?? null, fresh[at] ?? null])
    ;[old, fresh] = [[], []]
  }
  for (const line of lines) {
    if (line.t === '-') old.push(line)
    else if (line.t === '+') fresh.push(line)
    else if (line.t === '\\') (fresh.length > 0 ? fresh : old).push(line)
    else {
      flush()
      rows.push(line.t === '@' ? line : [line, line])
    }
  }
  flush()
  return rows
}

/**
 * Splits a line into pieces: with the kinds of its tokens, changed words marked, and hidden characters named.
 * @param spans changed words; the line's mark is unit 0.
 */
export function pieces(whole: string, tokens: readonly Token[] | undefined, spans: readonly TextSpan[]): Piece[] {
  const line = whole.slice(0, MAX_LINE_LENGTH)
  const fits =
    tokens !== undefined &&
    tokens
      .map(({ text }) => text)
      .join('')
      .replace(/\r$/, '') === whole.replace(/\r$/, '')
  const found: Piece[] = []
  let at = 0
  for (const { text, kind } of fits ? tokens : [{ text: whole }]) {
    for (const part of cutBySpans(text, at, spans)) {
      if (at >= line.length) break
      appendPieces(found, part.text.slice(0, line.length - at), kind, part.changed)
      at += part.text.length
    }
  }
  if (whole.length > MAX_LINE_LENGTH) found.push([` … ${whole.length - MAX_LINE_LENGTH} more characters`, 'hidden'])
  return found
}

function* cutBySpans(text: string, begin: number, spans: readonly TextSpan[]) {
  let at = 0
  for (const { from, to } of spans) {
    const [first, last] = [from - 1 - begin, to - 1 - begin]
    if (last <= at || first >= text.length) continue
    if (first > at) yield { text: text.slice(at, first), changed: false }
    yield { text: text.slice(Math.max(first, at), last), changed: true }
    at = Math.min(last, text.length)
  }
  if (at < text.length) yield { text: text.slice(at), changed: false }
}

function appendPieces(found: Piece[], text: string, kind = '', changed: boolean): void {
  for (const part of printableParts(text)) {
    const name = part.hidden ? 'hidden' : kind
    if (changed) found.push([part.text, name, 1])
    else found.push(name === '' ? part.text : [part.text, name])
  }
}
