import stringWidth from 'string-width'
import { oneLine } from '../printable.js'

/** The look of a span. `paint` maps it to SGR codes. */
export type Style =
  | 'plain'
  | 'dim'
  | 'bold'
  | 'bar'
  | 'mark'
  | 'group'
  | 'hunk'
  | 'ok'
  | 'no'
  | 'wait'
  | 'warn'
  | 'add'
  | 'remove'
  | 'addWord'
  | 'removeWord'
  | 'keyword'
  | 'string'
  | 'number'
  | 'comment'
  | 'name'

/** A run of text in one style. `text` is unsafe to print until {@link cellsOf} has converted it. */
export interface Span {
  readonly text: string
  readonly style: Style
}

/** A line of the screen. Its spans are safe to print and have a known width. */
export type Line = readonly Span[]

/** An indivisible part of a line: a letter with its accents, or a character of an invisible character's name. */
interface Cell extends Span {
  readonly width: number
}

const TAB = 8
const PLAIN = /^[\x20-\x7e]*$/
const ASCII = /^[\x20-\x7e]$/
/**
 * Single characters of one column: letters of Latin, Greek and Cyrillic, punctuation, arrows, boxes and shapes. `string-width` gives them
 * one column too, but its first call compiles the table of all emoji, which takes longer than the rest of a screen.
 */
export const NARROW =
  /^[\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e\u2190-\u21ff\u2500-\u25fc]$/
/** The longest grapheme cluster that is printed as it is, in UTF-16 units. A longer one could overprint its neighbours. */
const CLUSTER_LIMIT = 12
const clusters = new Intl.Segmenter()

/** The characters that a terminal shows. Others are printed by name. */
export type Charset = 'utf-8' | 'ascii'

/** Splits spans into cells. Expands tabs, and names invisible characters and those that the terminal cannot show. */
function* cellsOf(spans: readonly Span[], charset: Charset, tabs: boolean): Generator<Cell> {
  let column = 0
  for (const { text, style } of spans) {
    for (const cell of tabs ? textCells(text) : lineCells(oneLine(text))) {
      const visible = cell === '\t' ? ' '.repeat(TAB - (column % TAB)) : cell
      for (const each of renderCell(visible, charset)) {
        column += each.width
        yield { ...each, style }
      }
    }
  }
}

/** The cells of a text, with each tab as a cell. */
function* textCells(text: string): Generator<string> {
  const parts = text.split('\t')
  for (const [index, part] of parts.entries()) {
    if (index > 0) yield '\t'
    yield* lineCells(oneLine(part))
  }
}

function* lineCells(text: string): Generator<string> {
  if (PLAIN.test(text)) yield* text
  else for (const { segment } of clusters.segment(text)) yield segment
}

function* renderCell(cell: string, charset: Charset): Generator<Omit<Cell, 'style'>> {
  if (ASCII.test(cell)) yield { text: cell, width: 1 }
  else if (PLAIN.test(cell)) for (const each of cell) yield { text: each, width: 1 }
  else {
    const width = widthOf(cell)
    if (charset === 'utf-8' && width > 0 && width <= 2 && cell.length <= CLUSTER_LIMIT) {
      yield { text: cell.toWellFormed(), width }
    } else for (const each of [...cell].map(printableCharacter).join('')) yield { text: each, width: 1 }
  }
}

function widthOf(cell: string): number {
  return NARROW.test(cell) ? 1 : stringWidth(cell)
}

function printableCharacter(character: string): string {
  if (ASCII.test(character)) return character
  return `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`
}

export interface LineShape {
  readonly width: number
  readonly charset: Charset
  /** Expands a tab to the next multiple of 8 columns. Otherwise it is named like other invisible characters. */
  readonly tabs?: boolean
}

/** Wraps spans into one or more lines of at most `width` columns. */
export function wrap(spans: readonly Span[], { width, charset, tabs = false }: LineShape): Line[] {
  const lines: Span[][] = [[]]
  let room = width
  for (const cell of cellsOf(spans, charset, tabs)) {
    if (cell.width > room) {
      lines.push([])
      room = width
    }
    if (cell.width > room) continue
    append(lines.at(-1) ?? [], cell)
    room -= cell.width
  }
  return lines
}

/** As {@link wrap}, but breaks at spaces, which it drops there. Cuts only a word that is longer than a line. */
export function wrapWords(spans: readonly Span[], { width, charset, tabs = false }: LineShape): Line[] {
  const lines: Cell[][] = [[]]
  for (const cell of cellsOf(spans, charset, tabs)) {
    const line = lines.at(-1) ?? []
    if (cell.text === ' ' && line.length === 0 && lines.length > 1) continue
    if (widthOfCells(line) + cell.width <= width) line.push(cell)
    else if (cell.text === ' ') lines.push([])
    else if (cell.width <= width) lines.push([...takeLastWord(line), cell])
  }
  return lines.map((line) => {
    const row: Span[] = []
    for (const cell of line) append(row, cell)
    return row
  })
}

export interface HangingShape extends LineShape {
  /** Columns before each row after the first. */
  readonly hang: number
  /** Breaks only at spaces, as {@link wrapWords}. */
  readonly words?: boolean
}

/** Wraps spans, and indents the rows after the first. A narrow screen has no indentation. */
export function wrapHanging(spans: readonly Span[], { hang, words = true, ...shape }: HangingShape): Line[] {
  const indent = Math.min(hang, Math.floor(shape.width / 4))
  const rows = (words ? wrapWords : wrap)(spans, { ...shape, width: shape.width - indent })
  return rows.map((row, at) =>
    at === 0 || indent === 0 ? row : [{ text: ' '.repeat(indent), style: 'plain' }, ...row],
  )
}

/** Removes the word at the end of a line, with the space before it. Leaves a line that is one word. */
function takeLastWord(line: Cell[]): Cell[] {
  const space = line.findLastIndex(({ text }) => text === ' ')
  if (space < 0) return []
  return line.splice(space).slice(1)
}

function widthOfCells(cells: readonly Cell[]): number {
  return cells.reduce((sum, { width }) => sum + width, 0)
}

/** The columns of a text on one line. */
export function columnsOf(text: string, charset: Charset): number {
  return widthOfCells([...cellsOf([{ text, style: 'plain' }], charset, false)])
}

/** Fits spans into one line of exactly this width. A mark shows that text was cut off. */
export function fitLine(spans: readonly Span[], shape: LineShape, fill: Style = 'plain'): Line {
  const more = shape.charset === 'utf-8' ? '…' : '>'
  const line: Span[] = []
  let used = 0
  for (const cell of cellsOf(spans, shape.charset, shape.tabs ?? false)) {
    if (used + cell.width > shape.width) return truncateLine(line, more, shape.width, fill)
    append(line, cell)
    used += cell.width
  }
  if (used < shape.width) append(line, { text: ' '.repeat(shape.width - used), style: fill })
  return line
}

function truncateLine(line: readonly Span[], more: string, width: number, fill: Style): Line {
  if (width === 0) return []
  const fitting: Span[] = []
  let used = 0
  for (const { text, style } of line) {
    for (const cell of lineCells(text)) {
      const cellWidth = ASCII.test(cell) ? 1 : widthOf(cell)
      if (used + cellWidth > width - 1) break
      append(fitting, { text: cell, style })
      used += cellWidth
    }
  }
  append(fitting, { text: more, style: fill })
  used++
  if (used < width) append(fitting, { text: ' '.repeat(width - used), style: fill })
  return fitting
}

function append(line: Span[], { text, style }: Span): void {
  const last = line.at(-1)
  if (last?.style === style) line[line.length - 1] = { text: last.text + text, style }
  else line.push({ text, style })
}
