import { useCallback, useMemo, useRef, useState } from 'preact/hooks'
import type { DiffLine, Layout, WireContext, WireFile } from '../../src/web/wire.js'
import { get } from './api.js'

/** Lines that one press of a button shows. */
export const STEP = 20
/** Lines that are asked for at once. */
const MOST = 1_000

/** How many lines of a gap are shown, from its first line and from its last. */
interface Opened {
  readonly top: number
  readonly bottom: number
}

/** What a row of the diff is: a row of the server's, an unchanged line of a gap, or the place where lines are left out. */
export type Slot =
  | { readonly kind: 'row'; readonly row: number }
  | { readonly kind: 'line'; readonly gap: number; readonly line: number }
  | { readonly kind: 'fold'; readonly gap: number; readonly hidden: number }

interface Block {
  readonly start: number
  readonly slot: Slot
}

/** The rows of a diff with the gaps between its hunks: which index shows what. */
export class Slots {
  readonly total: number
  /** Where hunks begin. */
  readonly heads: readonly number[]
  /** Rows that are taller than a line, in order. */
  readonly tall: readonly number[]
  readonly #blocks: readonly Block[]
  readonly #count: number

  /**
   * @param heads rows of the server at which hunks begin
   * @param rows how many the server has
   */
  constructor(heads: readonly number[], rows: number, gaps: readonly number[], opened: ReadonlyMap<number, Opened>) {
    const blocks: Block[] = []
    const [begins, folds]: [number[], number[]] = [[], []]
    let at = 0
    const put = (length: number, slot: Slot) => {
      if (length === 0) return
      blocks.push({ start: at, slot })
      at += length
    }
    for (let gap = 0; gap <= heads.length; gap++) {
      const lines = gaps[gap] ?? 0
      const { top, bottom } = opened.get(gap) ?? { top: 0, bottom: 0 }
      const hidden = lines - top - bottom
      put(top, { kind: 'line', gap, line: 0 })
      if (hidden > 0) {
        folds.push(at)
        put(1, { kind: 'fold', gap, hidden })
      }
      put(bottom, { kind: 'line', gap, line: lines - bottom })
      if (gap === heads.length) break
      const row = heads[gap] ?? 0
      begins.push(at)
      put((heads[gap + 1] ?? rows) - row, { kind: 'row', row })
    }
    if (heads.length === 0) put(rows, { kind: 'row', row: 0 })
    this.total = at
    this.#count = rows
    this.heads = begins
    this.tall = [...begins, ...folds].sort((a, b) => a - b)
    this.#blocks = blocks
  }

  at(index: number): Slot {
    const { start, slot } = this.#blocks[last(this.#blocks, ({ start }) => start <= index)] ?? NO_BLOCK
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
    const { start, row: first } = rows[last(rows, (each) => each.row <= row)] ?? { start: 0, row: 0 }
    return start + row - first
  }

  #rows() {
    return this.#blocks.flatMap(({ start, slot }) => (slot.kind === 'row' ? [{ start, row: slot.row }] : []))
  }
}

const NO_BLOCK: Block = { start: 0, slot: { kind: 'row', row: 0 } }

/** The index of the last element for which it holds, in a list in which it holds for the first ones only; 0 where there is none. */
function last<T>(list: readonly T[], holds: (each: T) => boolean): number {
  let [low, high] = [0, Math.max(0, list.length - 1)]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    const each = list[middle]
    if (each !== undefined && holds(each)) low = middle
    else high = middle - 1
  }
  return low
}

/** The gaps of a file's diff: what is shown of them, and how more of it is. They close when the file or its hunks change. */
export function useGaps(session: string, path: string, { mark, hunks, gaps, total }: WireFile, layout: Layout) {
  const key = `${session} ${path} ${mark} ${hunks.map(({ id }) => id).join()}`
  const held = useRef({ key, opened: new Map<number, Opened>(), lines: new Map<string, DiffLine>() })
  if (held.current.key !== key) held.current = { key, opened: new Map(), lines: new Map() }
  const [version, redraw] = useState(0)
  const { opened, lines } = held.current
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
      const { opened: before, lines: kept } = held.current
      const { top, bottom } = before.get(gap) ?? { top: 0, bottom: 0 }
      const hidden = (gaps[gap] ?? 0) - top - bottom
      const count = Math.min(hidden, end === 'all' ? MOST : STEP)
      if (count <= 0) return
      const from = end === 'bottom' ? (gaps[gap] ?? 0) - bottom - count : top
      const query = { path, mark, gap, from, count }
      const { lines: found } = await get<WireContext>(`sessions/${encodeURIComponent(session)}/context`, query)
      const now = before.get(gap) ?? { top: 0, bottom: 0 }
      // Another file may be open by now, or a second press may have asked for the same lines.
      if (held.current.opened !== before || now.top !== top || now.bottom !== bottom) return
      for (const [at, line] of found.entries()) kept.set(`${gap} ${from + at}`, line)
      before.set(gap, end === 'bottom' ? { top, bottom: bottom + found.length } : { top: top + found.length, bottom })
      redraw((last) => last + 1)
    },
    [key],
  )
  const lineAt = (gap: number, line: number) => lines.get(`${gap} ${line}`)
  return { slots, lineAt, expand, version }
}
