import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { WireBlame } from '../../src/web/wire.js'
import { get } from './api.js'
import { goTo, hrefOf } from './route.js'
import { Code, describeError, Empty, Name, useLoaded } from './shared.js'
import { VirtualList } from './virtual.js'

const PAGE = 1_000

/** Shows each line of a file with its author, intent and approver. */
export function Blame({ path, version }: { path: string | undefined; version: number }) {
  const known = useLoaded(() => get<{ paths: string[] }>('ledger/paths'), [version])
  const [typed, setTyped] = useState(path ?? '')
  useEffect(() => setTyped(path ?? ''), [path])
  return (
    <div class="page blame-page">
      <h2>Blame</h2>
      <form
        class="pick"
        onSubmit={(event) => {
          event.preventDefault()
          goTo({ at: 'blame', path: typed })
        }}
      >
        <label for="blame-path">File</label>
        <input
          id="blame-path"
          list="known"
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
          placeholder="src/prices.ts"
        />
        <datalist id="known">
          {known.value?.paths.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
        <button type="submit" disabled={typed === ''}>
          Show
        </button>
      </form>
      {path === undefined ? (
        <KnownPaths paths={known.value?.paths} />
      ) : (
        <Lines key={path} path={path} version={version} />
      )}
    </div>
  )
}

function KnownPaths({ paths }: { paths: readonly string[] | undefined }) {
  if (paths === undefined) return null
  if (paths.length === 0) return <Empty title="Nothing was committed yet." />
  return (
    <ul class="known">
      {paths.slice(0, 200).map((path) => (
        <li key={path}>
          <a href={hrefOf({ at: 'blame', path })}>
            <Name text={path} />
          </a>
        </li>
      ))}
    </ul>
  )
}

type Line = WireBlame['lines'][number]

function Lines({ path, version }: { path: string; version: number }) {
  const pages = useRef(new Map<number, WireBlame['lines']>())
  const [total, setTotal] = useState<number>()
  const [error, setError] = useState<string>()
  const load = useCallback(
    async (page: number) => {
      if (pages.current.has(page)) return
      pages.current.set(page, [])
      try {
        const found = await get<WireBlame>('blame', { path, from: page * PAGE })
        pages.current.set(page, found.lines)
        setTotal(found.total)
        redraw((last) => last + 1)
      } catch (failed) {
        pages.current.delete(page)
        setError(describeError(failed))
      }
    },
    [path],
  )
  const [, redraw] = useState(0)
  useEffect(() => {
    pages.current.clear()
    setError(undefined)
    void load(0)
  }, [path, version])
  const loadVisible = useCallback(
    (first: number, last: number) => {
      for (let page = Math.floor(first / PAGE); page <= Math.floor(last / PAGE); page++) void load(page)
    },
    [load],
  )
  if (error !== undefined)
    return (
      <p class="note bad" role="alert">
        {error}
      </p>
    )
  if (total === undefined) return <p class="loading">Loading…</p>
  const at = (index: number): Line | undefined => pages.current.get(Math.floor(index / PAGE))?.[index % PAGE]
  return (
    <VirtualList
      class="blame"
      role="table"
      label={`Who wrote ${path}`}
      count={total}
      height={20}
      onVisible={loadVisible}
    >
      {(index, style) => {
        const [line, above] = [at(index), at(index - 1)]
        return (
          <div
            key={index}
            role="row"
            aria-rowindex={index + 1}
            class={isSame(line, above) ? 'line' : 'line first'}
            style={style}
          >
            <span role="cell" class="credit" title={line && titleOf(line)}>
              {line && !isSame(line, above) && <Attribution line={line} />}
            </span>
            <span role="cell" class="no">
              {index + 1}
            </span>
            <span role="cell" class="code">
              {line && <Code pieces={line.s} />}
            </span>
          </div>
        )
      }}
    </VirtualList>
  )
}

const UNANCHORED = "nothing on this machine anchors the record: 'escrow verify' tells more"

function Attribution({ line: { intentId, who, approvedBy, unanchored } }: { line: Line }) {
  return (
    <>
      {unanchored && (
        <abbr class="unanchored" title={UNANCHORED}>
          ?
        </abbr>
      )}
      {intentId !== undefined && <b>{intentId}</b>}{' '}
      <span class={who === 'unknown' ? 'quiet' : ''}>
        <Name text={who.slice(who.lastIndexOf('/') + 1)} />
      </span>
      {approvedBy !== undefined && (
        <span class="quiet">
          {' '}
          ✓ <Name text={approvedBy} />
        </span>
      )}
    </>
  )
}

function titleOf({ who, intentId, sessionId, approvedBy, measured, unanchored }: Line): string {
  const parts = [
    who,
    intentId,
    sessionId,
    approvedBy && `approved by ${approvedBy}`,
    measured,
    unanchored && UNANCHORED,
  ]
  return parts.filter(Boolean).join(' · ')
}

function isSame(a: Line | undefined, b: Line | undefined): boolean {
  return a !== undefined && b !== undefined && titleOf(a) === titleOf(b)
}
