import { useEffect, useRef, useState } from 'preact/hooks'
import type { Layout, WireChange, WireMatches } from '../../src/web/wire.js'
import { get } from './api.js'

/** The matches of a search in one file. Shows the first one once they are loaded. */
export function useMatches(
  session: string,
  { path, mark, look }: WireChange,
  layout: Layout,
  find: string,
  show: (row: number) => void,
) {
  const [rows, setRows] = useState<readonly number[]>([])
  const [at, setAt] = useState(0)
  /** The search whose first match was shown, because a verdict must not move the view back to it. */
  const shownSearch = useRef('')
  useEffect(() => {
    const search = JSON.stringify([path, mark, layout, find])
    const isNew = shownSearch.current !== search
    if (isNew) setAt(0)
    if (isNew || find === '') setRows([])
    shownSearch.current = search
    if (find === '') return
    let isStale = false
    const query = { path, mark, layout, text: find }
    get<WireMatches>(`sessions/${encodeURIComponent(session)}/matches`, query).then(
      ({ rows: found }) => {
        if (isStale) return
        setRows(found)
        const [first] = found
        if (isNew && first !== undefined) show(first)
      },
      () => undefined,
    )
    return () => {
      isStale = true
    }
  }, [session, path, mark, look, layout, find])
  const move = (by: number) => {
    const next = rows[at + by]
    if (next === undefined) return false
    setAt(at + by)
    show(next)
    return true
  }
  const label = find === '' || rows.length === 0 ? undefined : `match ${at + 1} of ${rows.length}`
  return { row: rows[at], words: label, go: move }
}
