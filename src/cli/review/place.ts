import type { Change, Hunk } from '../../index.js'
import { isNewSince } from '../../surface/index.js'
import { changeKey, type Item, lineAt } from './document.js'
import { type LayoutContext, layoutLine } from './lines.js'
import { messageRows } from './message.js'
import type { Place, Seen, State } from './state.js'
import type { Line } from './text.js'

/** Columns left of every line: the cursor's bar and a space. */
const GUTTER = 2
/** Rows of the title, the file name and the keys. Message rows are extra. */
const FRAME = 3
/** On a smaller screen nothing can be read, so nothing can be decided. */
const MIN_SIZE = { columns: 20, rows: 8 }

export function isTooSmall({ size: { columns, rows } }: Pick<State, 'size'>): boolean {
  return columns < MIN_SIZE.columns || rows < MIN_SIZE.rows
}

export function bodyRows(state: State): number {
  return Math.max(1, state.size.rows - FRAME - messageRows(state).length)
}

export interface Row extends Place {
  readonly item: Item
  readonly content: Line
  /** The last row of its line. */
  readonly isLast: boolean
}

export function layoutContextOf({ size, charset, colors, lastLook }: State): LayoutContext {
  const columns = Math.max(1, size.columns - GUTTER)
  const isNew = (change: Change, hunk: Hunk) => isNewSince(lastLook, change, hunk)
  return { columns, charset, colorsOf: (change) => colors.get(changeKey(change)), isNew }
}

function rowsAt(state: State, line: number): Line[] {
  const found = lineAt(state.document, line)
  return found === undefined ? [] : layoutLine(found.item, found.at, layoutContextOf(state))
}

/** Lays out the lines of the document that are on the screen. */
export function visibleRows(state: State): Row[] {
  const rows: Row[] = []
  const room = bodyRows(state)
  for (let { line, row: skip } = state.top; rows.length < room && line < state.document.lines; line++, skip = 0) {
    const found = lineAt(state.document, line)
    if (found === undefined) break
    const contents = rowsAt(state, line)
    for (let row = skip; row < contents.length && rows.length < room; row++) {
      rows.push({ line, row, item: found.item, content: contents[row] ?? [], isLast: row === contents.length - 1 })
    }
  }
  return rows
}

/** Moves a place by a number of rows, within the document. */
export function movePlace(state: State, from: Place, by: number): Place {
  let { line, row } = from
  for (let left = Math.abs(by); left > 0; left--) {
    if (by > 0) {
      if (row + 1 < rowsAt(state, line).length) row++
      else if (line + 1 < state.document.lines) [line, row] = [line + 1, 0]
      else break
    } else if (row > 0) row--
    else if (line > 0) [line, row] = [line - 1, rowsAt(state, line - 1).length - 1]
    else break
  }
  return { line, row }
}

/** Limits a scroll position so that the last row is not above the bottom of the screen. */
export function clampPlace(state: State, top: Place): Place {
  const last = Math.max(0, state.document.lines - 1)
  const end = { line: last, row: Math.max(0, rowsAt(state, last).length - 1) }
  const lowest = movePlace(state, end, -(bodyRows(state) - 1))
  const line = Math.min(Math.max(0, top.line), last)
  const row = Math.min(top.line > last ? 0 : top.row, Math.max(0, rowsAt(state, line).length - 1))
  return line > lowest.line || (line === lowest.line && row > lowest.row) ? lowest : { line, row }
}

/** Moves the cursor to a stop and scrolls to its first line. A file's first hunk appears with the file name. */
export function scrollToStop(state: State, cursor: number): State {
  const stop = state.document.stops[cursor]
  const item = stop && state.document.items[stop.item]
  if (stop === undefined || item === undefined) return { ...state, cursor }
  const rows = visibleRows(state)
  const isWhole = rows.some(({ line, row }) => line === item.first && row === 0) && includesEnd(rows, item)
  if (isWhole) return { ...state, cursor }
  const first = headOf(state, stop.item).first
  const spare = bodyRows(state) - 3
  const isTooTall = item.first - first > spare
  return { ...state, cursor, top: clampPlace(state, { line: isTooTall ? item.first : first, row: 0 }) }
}

/** The first of the file and group titles directly above an item, else the item. */
function headOf({ document: { items } }: State, at: number): { readonly first: number } {
  const titles = ['file', 'group']
  let head = at
  while (titles.includes(items[head - 1]?.kind ?? '')) head--
  return items[head] ?? { first: 0 }
}

function includesEnd(rows: readonly Row[], item: Item): boolean {
  return rows.some(({ line, isLast }) => isLast && line === item.first + item.lines - 1)
}

/** Moves the cursor onto the screen if scrolling took its stop off it. */
export function followScroll(state: State, direction: 1 | -1): State {
  const visibleStops = visibleRows(state).flatMap(({ item }) => (item.stop === undefined ? [] : [item.stop]))
  if (visibleStops.length === 0 || visibleStops.includes(state.cursor)) return state
  return { ...state, cursor: (direction > 0 ? visibleStops[0] : visibleStops.at(-1)) ?? state.cursor }
}

/** Row numbers per line, to combine line and row into one number. No line wraps into more rows. */
const ROWS_MAX = 65_536

/** Records the rows on the screen as seen. */
export function markVisibleRowsSeen(state: State): State {
  if (state.mode.kind === 'help' || isTooSmall(state)) return state
  const spans = new Map<number, { from: number; to: number }>()
  for (const { item, line, row, isLast } of visibleRows(state)) {
    if (item.stop === undefined) continue
    const from = (line - item.first) * ROWS_MAX + row
    const to = isLast ? (line - item.first + 1) * ROWS_MAX : from + 1
    const span = spans.get(item.stop)
    spans.set(item.stop, span === undefined ? { from, to } : { from: span.from, to })
  }
  let seen: Map<string, Seen> | undefined
  for (const [at, span] of spans) {
    const stop = state.document.stops[at]
    const item = stop && state.document.items[stop.item]
    if (stop === undefined || item === undefined) continue
    const known = state.seen.get(stop.key)
    const joined = mergeSeen(known, span)
    const now = { ...joined, whole: known?.whole === true || (joined.from === 0 && joined.to >= item.lines * ROWS_MAX) }
    if (known?.from === now.from && known.to === now.to && known.whole === now.whole) continue
    seen ??= new Map(state.seen)
    seen.set(stop.key, now)
  }
  return seen === undefined ? state : { ...state, seen }
}

/** Merges ranges that touch. Otherwise keeps the range that begins at 0, else the newer one. */
function mergeSeen(known: Seen | undefined, now: { from: number; to: number }): { from: number; to: number } {
  if (known === undefined) return now
  if (now.from <= known.to && known.from <= now.to) {
    return { from: Math.min(known.from, now.from), to: Math.max(known.to, now.to) }
  }
  return known.from === 0 ? known : now
}
