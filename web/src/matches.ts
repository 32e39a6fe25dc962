import { useEffect, useRef, useState } from 'preact/hooks'
import type { Layout, WireChange, WireMatches } from '../../src/web/wire.js'
import { get } from './api.js'

/** The matches of one search, and which of them is shown. */
interface Found {
  /** The file, layout and text that were searched. */
  readonly search: string
  readonly rows: readonly number[]
  readonly at: number
}

/**
 * The matches of a search in one file. Shows the first one once they are loaded.
 * @param leave called if Enter came before they were loaded, and there is no match to move to
 */
export function useMatches(
  session: string,
  { path, mark, look }: WireChange,
  layout: Layout,
  find: string,
  show: (row: number) => void,
  leave: (by: number) => void,
) {
  const search = JSON.stringify([path, mark, layout, find])
  const [found, setFound] = useState<Found>()
  const latest = useRef(found)
  latest.current = found
  // The list may have changed since the request.
  const leaveNow = useRef(leave)
  leaveNow.current = leave
  const { rows, at } = found?.search === search ? found : { rows: [], at: 0 }
  /** How many matches to move once the matches of a search are loaded: Enter may come first. */
  const early = useRef({ search: '', by: 0 })
  useEffect(() => {
    if (find === '') return
    let isStale = false
    const query = { path, mark, layout, text: find }
    get<WireMatches>(`sessions/${encodeURIComponent(session)}/matches`, query).then(
      ({ rows }) => {
        if (isStale) return
        // A verdict loads the same search again, and must not move the view back to its first match.
        if (latest.current?.search === search) return setFound({ ...latest.current, rows })
        const by = early.current.search === search ? early.current.by : 0
        const at = rows[by] === undefined ? 0 : by
        setFound({ search, rows, at })
        if (by !== at) leaveNow.current(by)
        else if (rows[at] !== undefined) show(rows[at])
      },
      () => undefined,
    )
    return () => {
      isStale = true
    }
  }, [session, look, search])
  /** Moves to another match. Returns false if there is none. */
  const move = (by: number): boolean => {
    if (find !== '' && found?.search !== search) {
      early.current = { search, by: (early.current.search === search ? early.current.by : 0) + by }
      return true
    }
    const next = rows[at + by]
    if (found === undefined || next === undefined) return false
    setFound({ ...found, at: at + by })
    show(next)
    return true
  }
  const label = find === '' || rows.length === 0 ? undefined : `match ${at + 1} of ${rows.length}`
  return { row: rows[at], words: label, go: move }
}
