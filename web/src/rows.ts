import { useCallback, useMemo, useRef, useState } from 'preact/hooks'
import type { DiffLine, DiffRow, Layout, WireFile, WireRows } from '../../src/web/wire.js'
import { get } from './api.js'

/** Rows of one answer. */
const PAGE = 1_000
/** Pages that are held: those farthest from the view go first. */
const HELD = 12

/** Rows by pages, fetched as they come into view. */
export function useRows(session: string, path: string, { mark, hunks }: WireFile, layout: Layout) {
  const key = `${session} ${path} ${mark} ${layout} ${hunks.map(({ id }) => id).join()}`
  const held = useRef<{ key: string; pages: Map<number, readonly DiffRow[]>; asked: Set<number> }>({
    key: '',
    pages: new Map(),
    asked: new Set(),
  })
  if (held.current.key !== key) held.current = { key, pages: new Map(), asked: new Set() }
  const [, redraw] = useState(0)
  const seen = useCallback(
    (first: number, last: number) => {
      const { pages, asked } = held.current
      for (let page = Math.floor(first / PAGE); page <= Math.floor(last / PAGE); page++) {
        if (asked.has(page)) continue
        asked.add(page)
        get<WireRows>(`sessions/${encodeURIComponent(session)}/rows`, { path, mark, layout, from: page * PAGE }).then(
          ({ rows }) => {
            pages.set(page, rows)
            const far = [...pages.keys()].sort((a, b) => Math.abs(b - page) - Math.abs(a - page))
            for (const old of far.slice(0, Math.max(0, pages.size - HELD))) {
              pages.delete(old)
              asked.delete(old)
            }
            redraw((last) => last + 1)
          },
          () => asked.delete(page),
        )
      }
    },
    [key],
  )
  const { pages } = held.current
  const rowAt = (index: number) => pages.get(Math.floor(index / PAGE))?.[index % PAGE]
  const widest = useMemo(() => Math.max(0, ...[...pages.values()].flat().map(widthOf)), [pages.size, key])
  return { rowAt, seen, widest }
}

function widthOf(row: DiffRow): number {
  const of = (line: DiffLine | null) =>
    line?.s.reduce((sum, piece) => sum + (typeof piece === 'string' ? piece : piece[0]).length, 0) ?? 0
  return isPair(row) ? Math.max(of(row[0]), of(row[1])) : of(row)
}

export function isPair(row: DiffRow): row is readonly [DiffLine | null, DiffLine | null] {
  return Array.isArray(row)
}

/** The text of a row, in small letters. */
export function textOf(row: DiffRow): string {
  const of = (line: DiffLine | null) => line?.s.map((piece) => (typeof piece === 'string' ? piece : piece[0])).join('')
  return (isPair(row) ? `${of(row[0]) ?? ''}\n${of(row[1]) ?? ''}` : (of(row) ?? '')).toLowerCase()
}
