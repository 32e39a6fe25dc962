import { useCallback, useMemo, useRef, useState } from 'preact/hooks'
import type { DiffLine, Layout, WireContext, WireFile } from '../../src/web/wire.js'
import { get } from './api.js'

/** Lines that one click shows. */
export const STEP = 20
/** Lines of one request. */
const MAX_LINES = 1_000

/** The numbers of shown lines at the start and at the end of a gap. */
interface ShownLines {
  readonly top: number
  readonly bottom: number
}

/** A row of the diff: a row of the server, an unchanged line of a gap, or a fold of hidden lines. */
export type Slot =
  | { readonly kind: 'row'; readonly row: number }
  | { readonly kind: 'line'; readonly gap: number; readonly line: number }
  | { readonly kind: 'fold'; readonly gap: number; readonly hidden: number }

interface Block {
  readonly start: number
  readonly slot: Slot
}

/** Maps indexes to the rows of a diff and of the gaps between its hunks. */
export class Slots {
  readonly total: number
  /** The indexes of hunk headers. */
  readonly heads: readonly number[]
  /** The indexes of rows that are taller than a line, sorted. */
  readonly tall: readonly number[]
  readonly #blocks: readonly Block[]
  readonly #count: number

  /**
   * @param heads rows of the server at which hunks start
   * @param rows the number of rows of the server
   */
  constructor(
    heads: readonly number[],
    rows: number,
    gaps: readonly number[],
    opened: ReadonlyMap<number, ShownLines>,
  ) {
    const blocks: Block[] = []
    const [hunkStarts, folds]: [number[], number[]] = [[], []]
    let at = 0
    const addBlock = (length: number, slot: Slot) => {
      if (length === 0) return
      blocks.push({ start: at, slot })
      at += length
    }
    for (let gap = 0; gap <= heads.length; gap++) {
      const lines = gaps[gap] ?? 0
      const { top, bottom } = opened.get(gap) ?? { top: 0, bottom: 0 }
      const hidden = lines - top - bottom
      addBlock(top, { kind: 'line', gap, line: 0 })
      if (hidden > 0) {
        folds.push(at)
        addBlock(1, { kind: 'fold', gap, hidden })
      }
      addBlock(bottom, { kind: 'line', gap, line: lines - bottom })
      if (gap === heads.length) break
      const row = heads[gap] ?? 0
      hunkStarts.push(at)
      addBlock((heads[gap + 1] ?? rows) - row, { kind: 'row', row })
    }
    if (heads.length === 0) addBlock(rows, { kind: 'row', row: 0 })
    this.total = at
    this.#count = rows
    this.heads = hunkStarts
    this.tall = [...hunkStarts, ...folds].sort((a, b) => a - b)
    this.#blocks = blocks
  }

  at(index: number): Slot {
    const { start, slot } = this.#blocks[lastIndexWhere(this.#blocks, ({ start }) => start <= index)] ?? NO_BLOCK
    if (slot.kind === 'row') return { ...slot, row: slot.row + index - start }
    return slot.kind === 'line' ? { ...slot, line: slot.line + index - start } : slot
  }

  /** The row of the server at an index, or the nearest one above it. */
  rowNear(index: number): number {
    const slot = this.at(index)
    if (slot.kind === 'row') return slot.row
    const above = this.heads.findLastIndex((head) => head <= index)
    const rows = this.#rows()
    return above < 0 ? 0 : (rows[above + 1]?.row ?? this.#count) - 1
  }

  /** The index of a row of the server. */
  indexOf(row: number): number {
    const rows = this.#rows()
    const { start, row: first } = rows[lastIndexWhere(rows, (each) => each.row <= row)] ?? { start: 0, row: 0 }
    return start + row - first
  }

  #rows() {
    return this.#blocks.flatMap(({ start, slot }) => (slot.kind === 'row' ? [{ start, row: slot.row }] : []))
  }
}

const NO_BLOCK: Block = { start: 0, slot: { kind: 'row', row: 0 } }

/** The index of the last element that matches, by binary search: matching elements come first. 0 if none matches. */
function lastIndexWhere<T>(list: readonly T[], predicate: (each: T) => boolean): number {
  let [low, high] = [0, Math.max(0, list.length - 1)]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    const each = list[middle]
    if (each !== undefined && predicate(each)) low = middle
    else high = middle - 1
  }
  return low
}

/** The shown lines in the gaps of a file's diff, and `expand` to show more. A change of the file or its hunks resets them. */
export function useGaps(session: string, path: string, { mark, hunks, gaps, total }: WireFile, layout: Layout) {
  const key = `${session} ${path} ${mark} ${hunks.map(({ id }) => id).join()}`
  const cache = useRef({ key, opened: new Map<number, ShownLines>(), lines: new Map<string, DiffLine>() })
  if (cache.current.key !== key) cache.current = { key, opened: new Map(), lines: new Map() }
  const [version, redraw] = useState(0)
  const { opened, lines } = cache.current
  const slots = useMemo(
    () =>
      new Slots(
        hunks.map(({ at }) => at[layout]),
        total[layout],
        gaps,
        opened,
      ),
    [key, layout, version],
  )
  const expand = useCallback(
    async (gap: number, end: 'top' | 'bottom' | 'all') => {
      const { opened: before, lines: kept } = cache.current
      const { top, bottom } = before.get(gap) ?? { top: 0, bottom: 0 }
      const hidden = (gaps[gap] ?? 0) - top - bottom
      const count = Math.min(hidden, end === 'all' ? MAX_LINES : STEP)
      if (count <= 0) return
      const from = end === 'bottom' ? (gaps[gap] ?? 0) - bottom - count : top
      const query = { path, mark, gap, from, count }
      const { lines: found } = await get<WireContext>(`sessions/${encodeURIComponent(session)}/context`, query)
      const now = before.get(gap) ?? { top: 0, bottom: 0 }
      // Another file may be open now, or a second click may have loaded the same lines.
      if (cache.current.opened !== before || now.top !== top || now.bottom !== bottom) return
      for (const [at, line] of found.entries()) kept.set(`${gap} ${from + at}`, line)
      before.set(gap, end === 'bottom' ? { top, bottom: bottom + found.length } : { top: top + found.length, bottom })
      redraw((last) => last + 1)
    },
    [key],
  )
  const lineAt = (gap: number, line: number) => lines.get(`${gap} ${line}`)
  return { slots, lineAt, expand, version }
}
