import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { WireChange, WireChanges, WireFound, WireGroup, WireVerdict } from '../../src/web/wire.js'
import { get } from './api.js'
import type { Versions } from './app.js'
import { describeError } from './shared.js'
import { treeOrder } from './tree.js'

/** The filters of the list. */
export const FILTERS = {
  all: 'All files',
  open: 'Undecided',
  unviewed: 'Not viewed',
  rejected: 'Rejected',
} as const

export type Filter = keyof typeof FILTERS

/** The orders of the list, with their names. */
export const ORDERS = { step: 'Steps', file: 'Files', risk: 'Risk' } as const

export type ListOrder = keyof typeof ORDERS

/** The order that the key chooses next. */
export const NEXT_ORDER = { step: 'file', file: 'risk', risk: 'step' } as const

/** The groups with their included changes, in the order of the review or as a tree of files. */
export function listedGroups(
  groups: readonly WireGroup[],
  order: ListOrder,
  isIncluded: (change: WireChange) => boolean,
): WireGroup[] {
  const kept = groups
    .map((group) => ({ ...group, changes: group.changes.filter(isIncluded) }))
    .filter(({ changes }) => changes.length > 0)
  if (order !== 'file' || kept.length === 0) return kept
  return [{ title: '', grave: false, commands: [], changes: treeOrder(kept.flatMap(({ changes }) => changes)) }]
}

/** True if the filter includes a change. */
export function isListed(
  filter: Filter,
  { state, mark, hunks: [, , rejected] }: WireChange,
  viewed: ReadonlySet<string>,
) {
  if (filter === 'open') return state === 'pending'
  if (filter === 'unviewed') return !viewed.has(mark)
  return filter === 'all' || state === 'rejected' || rejected > 0
}

/** The paths that a search finds. Undefined without a search. */
export function useSearch(
  id: string | undefined,
  find: string,
  digest: string | undefined,
): ReadonlySet<string> | undefined {
  const [found, setFound] = useState<ReadonlySet<string>>()
  useEffect(() => {
    if (id === undefined || find === '') return setFound(undefined)
    let stale = false
    get<WireFound>(`sessions/${encodeURIComponent(id)}/search`, { text: find }).then(
      ({ paths }) => !stale && setFound(new Set(paths)),
      () => undefined,
    )
    return () => {
      stale = true
    }
  }, [id, find, digest])
  return found
}

/** The marks of the files that were ticked as viewed in this browser. A changed file gets a new mark, so it counts as not viewed. */
export function useViewed(id: string | undefined): [ReadonlySet<string>, (mark: string, is: boolean) => void] {
  const name = `viewed ${id}`
  const [viewed, setViewed] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => setViewed(new Set((localStorage.getItem(name) ?? '').split(' '))), [name])
  const set = (mark: string, is: boolean) => {
    const next = new Set(viewed)
    if (is) next.add(mark)
    else next.delete(mark)
    localStorage.setItem(name, [...next].join(' '))
    setViewed(next)
  }
  return [viewed, set]
}

/**
 * A session's changes, with facts where they are listed by risk. They are loaded again after events, and by `reload` after each decision.
 * `reload` resolves once the page has the new list or an error.
 */
export function useChanges(id: string | undefined, versions: Versions, order: ListOrder) {
  const [shown, setShown] = useState<WireChanges>()
  const [error, setError] = useState<string>()
  const byRisk = order === 'risk'
  const version = id === undefined ? 0 : (versions.sessions[id] ?? 0)
  /** The latest request. Responses to earlier ones are dropped. */
  const latest = useRef<Promise<void> | undefined>(undefined)
  const reload = useCallback((): Promise<void> => {
    if (id === undefined) return Promise.resolve()
    const isLatest = () => latest.current === request
    const query = byRisk ? { by: 'risk' } : {}
    const request: Promise<void> = get<WireChanges>(`sessions/${encodeURIComponent(id)}/changes`, query).then(
      (value) => {
        if (!isLatest()) return latest.current
        setShown(value)
        setError(undefined)
      },
      (reason: unknown) => {
        if (!isLatest()) return latest.current
        setError(describeError(reason))
      },
    )
    latest.current = request
    return request
  }, [id, byRisk])
  useEffect(() => {
    void reload()
  }, [reload, version, versions.all, versions.classes])
  useEffect(
    () => () => {
      latest.current = undefined
    },
    [id],
  )
  /** Shows a verdict at once, because reloading a large stage takes a while. */
  const applyVerdict = useCallback((paths: readonly string[], state: WireVerdict) => {
    const decided = new Set(paths)
    const withState = (change: WireChange): WireChange => (decided.has(change.path) ? { ...change, state } : change)
    setShown(
      (last) =>
        last && { ...last, groups: last.groups.map((group) => ({ ...group, changes: group.changes.map(withState) })) },
    )
  }, [])
  return { shown: shown?.session === id ? shown : undefined, error, reload, put: applyVerdict }
}
