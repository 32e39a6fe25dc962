import { useCallback, useMemo, useRef, useState } from 'preact/hooks'
import type { DiffLine, DiffRow, Layout, WireFile, WireRows } from '../../src/web/wire.js'
import { get } from './api.js'

/** Rows of one response. */
const PAGE = 1_000
/** Cached pages. The ones farthest from the view are removed first. */
const MAX_PAGES = 12

/** Loads rows by page as they come into view. */
export function useRows(session: string, path: string, { mark, hunks }: WireFile, layout: Layout) {
  const key = `${session} ${path} ${mark} ${layout} ${hunks.map(({ id }) => id).join()}`
  const cache = useRef<{ key: string; pages: Map<number, readonly DiffRow[]>; requested: Set<number> }>({
    key: '',
    pages: new Map(),
    requested: new Set(),
  })
  if (cache.current.key !== key) cache.current = { key, pages: new Map(), requested: new Set() }
  const [, redraw] = useState(0)
  const loadRows = useCallback(
    (first: number, last: number) => {
      const { pages, requested } = cache.current
      for (let page = Math.floor(first / PAGE); page <= Math.floor(last / PAGE); page++) {
        if (requested.has(page)) continue
        requested.add(page)
        get<WireRows>(`sessions/${encodeURIComponent(session)}/rows`, { path, mark, layout, from: page * PAGE }).then(
          ({ rows }) => {
            pages.set(page, rows)
            const far = [...pages.keys()].sort((a, b) => Math.abs(b - page) - Math.abs(a - page))
            for (const old of far.slice(0, Math.max(0, pages.size - MAX_PAGES))) {
              pages.delete(old)
              requested.delete(old)
            }
            redraw((last) => last + 1)
          },
          () => requested.delete(page),
        )
      }
    },
    [key],
  )
  const { pages } = cache.current
  const rowAt = (index: number) => pages.get(Math.floor(index / PAGE))?.[index % PAGE]
  const widest = useMemo(() => Math.max(0, ...[...pages.values()].flat().map(widthOf)), [pages.size, key])
  return { rowAt, seen: loadRows, widest }
}

function widthOf(row: DiffRow): number {
  const lineWidth = (line: DiffLine | null) =>
    line?.s.reduce((sum, piece) => sum + (typeof piece === 'string' ? piece : piece[0]).length, 0) ?? 0
  return isPair(row) ? Math.max(lineWidth(row[0]), lineWidth(row[1])) : lineWidth(row)
}

export function isPair(row: DiffRow): row is readonly [DiffLine | null, DiffLine | null] {
  return Array.isArray(row)
}

/** The text of a row in lower case. */
export function textOf(row: DiffRow): string {
  const lineText = (line: DiffLine | null) =>
    line?.s.map((piece) => (typeof piece === 'string' ? piece : piece[0])).join('')
  return (isPair(row) ? `${lineText(row[0]) ?? ''}\n${lineText(row[1]) ?? ''}` : (lineText(row) ?? '')).toLowerCase()
}
