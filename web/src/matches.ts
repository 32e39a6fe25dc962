import { useEffect, useRef, useState } from 'preact/hooks'
import type { Layout, WireChange, WireMatches } from '../../src/web/wire.js'
import { get } from './api.js'

/** The matches of a search in one file; the first is shown as soon as they are known. */
export function useMatches(
  session: string,
  { path, mark, look }: WireChange,
  layout: Layout,
  find: string,
  show: (row: number) => void,
) {
  const [rows, setRows] = useState<readonly number[]>([])
  const [at, setAt] = useState(0)
  /** The search whose first match was shown: a verdict on a hunk must not move the view. */
  const shown = useRef('')
  useEffect(() => {
    const search = JSON.stringify([path, mark, layout, find])
    const isNew = shown.current !== search
    if (isNew) setAt(0)
    if (isNew || find === '') setRows([])
    shown.current = search
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
  const go = (by: number) => {
    const next = rows[at + by]
    if (next === undefined) return false
    setAt(at + by)
    show(next)
    return true
  }
  const words = find === '' || rows.length === 0 ? undefined : `match ${at + 1} of ${rows.length}`
  return { row: rows[at], words, go }
}
