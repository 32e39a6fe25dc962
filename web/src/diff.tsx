import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { DiffLine, DiffRow, Layout, WireFile, WireRows } from '../../src/web/wire.js'
import { get } from './api.js'
import { Code } from './shared.js'
import { type Scroller, VirtualList } from './virtual.js'

interface Props {
  readonly session: string
  readonly path: string
  readonly file: WireFile
  readonly layout: Layout
  /** The hunk the keys are at. */
  readonly at: number
  readonly setAt: (at: number) => void
  readonly decide: (verdict: 'approved' | 'rejected', hunk: string) => void
}

const PAGE = 1_000
const ROW = 20
const HEAD = 14

/** The rows of a file's diff, of which only those in view exist. */
export function Diff({ session, path, file, layout, at, setAt, decide }: Props) {
  const { rowAt, seen, widest } = useRows(session, path, file.mark, layout)
  const heads = useMemo(() => file.hunks.map((hunk) => hunk.at[layout]), [file, layout])
  const scroller = useRef<Scroller>(null)
  const hunk = file.hunks[at]
  useEffect(() => {
    if (hunk !== undefined) scroller.current?.show(hunk.at[layout], at === 0 ? 'near' : 'start')
  }, [at, layout])
  const [shift, setShift] = useState(0)
  const row = (index: number, style: { top: string; height: string }) => {
    const found = rowAt(index)
    const number = hunkAt(heads, index)
    const current = number === at ? ' current' : ''
    const props = { key: index, style, current, state: file.hunks[number]?.state ?? 'pending' }
    if (found === undefined)
      return (
        <div role="row" key={index} class="line pending-line" style={style} aria-rowindex={index + 1}>
          <span role="cell" class="code">
            {' '}
          </span>
        </div>
      )
    if (!isPair(found) && found.t === '@')
      return (
        <HunkHead
          {...props}
          index={index}
          line={found}
          number={number}
          alone={file.hunks.length === 1}
          decide={decide}
          choose={() => setAt(number)}
        />
      )
    return isPair(found) ? (
      <Pair {...props} index={index} pair={found} />
    ) : (
      <Line {...props} index={index} line={found} />
    )
  }
  return (
    <div class={`diff ${layout}`} ref={(element) => element?.style.setProperty('--shift', `${-shift}px`)}>
      <VirtualList
        class="rows"
        role="table"
        label={`Diff of ${path}`}
        count={file.total[layout]}
        height={ROW}
        tall={heads}
        more={HEAD}
        seen={seen}
        scroller={scroller}
      >
        {row}
      </VirtualList>
      {layout === 'split' && widest > 60 && (
        <div
          class="shifter"
          tabIndex={0}
          role="region"
          aria-label="Scroll both sides"
          onScroll={(event) => setShift(event.currentTarget.scrollLeft)}
        >
          <div style={{ width: `calc(50% + ${widest}ch)` }} />
        </div>
      )}
    </div>
  )
}

interface RowProps {
  readonly style: { top: string; height: string }
  readonly index: number
  readonly current: string
  readonly state: string
}

function HunkHead({
  line,
  number,
  state,
  alone,
  decide,
  choose,
  style,
  current,
  index,
}: RowProps & {
  line: DiffLine
  number: number
  alone: boolean
  decide: Props['decide']
  choose: () => void
}) {
  const id = line.hunk ?? ''
  return (
    <div role="row" aria-rowindex={index + 1} class={`hunk-head ${state}${current}`} style={style} onMouseDown={choose}>
      <span role="cell" class="hunk-cell">
        <span class="hunk-text">
          <Code pieces={line.s} />
        </span>
        <span class={`verdict ${state}`}>{state === 'pending' ? '' : state}</span>
        {!alone && (
          <span class="hunk-actions">
            <button
              type="button"
              class="bad"
              aria-label={`Reject hunk ${number + 1}`}
              title="Reject this hunk (n)"
              onClick={() => decide('rejected', id)}
            >
              ✕
            </button>
            <button
              type="button"
              class="good"
              aria-label={`Approve hunk ${number + 1}`}
              title="Approve this hunk (y)"
              onClick={() => decide('approved', id)}
            >
              ✓
            </button>
          </span>
        )}
      </span>
    </div>
  )
}

const KINDS: Readonly<Record<DiffLine['t'], string>> = { '@': 'head', ' ': 'same', '+': 'add', '-': 'del', '\\': 'end' }
const SAID: Readonly<Record<string, string>> = { add: 'added: ', del: 'removed: ' }

function Line({ line, style, current, state, index }: RowProps & { line: DiffLine }) {
  const kind = KINDS[line.t]
  return (
    <div role="row" aria-rowindex={index + 1} class={`line ${kind} ${state}${current}`} style={style}>
      <span role="cell" class="no">
        {line.o ?? ''}
      </span>
      <span role="cell" class="no">
        {line.n ?? ''}
      </span>
      <span role="cell" class="code">
        <span class="mark" aria-hidden="true">
          {line.t === ' ' || line.t === '\\' ? ' ' : line.t}
        </span>
        {SAID[kind] && <span class="unseen">{SAID[kind]}</span>}
        <Code pieces={line.s} />
      </span>
    </div>
  )
}

function Pair({
  pair,
  style,
  current,
  state,
  index,
}: RowProps & { pair: readonly [DiffLine | null, DiffLine | null] }) {
  return (
    <div role="row" aria-rowindex={index + 1} class={`pair ${state}${current}`} style={style}>
      {pair.map((line, side) => {
        const kind = line === null ? 'none' : KINDS[line.t]
        return (
          <span key={side} role="cell" class={`half ${kind}`}>
            <span class="no">{(side === 0 ? line?.o : line?.n) ?? ''}</span>
            {SAID[kind] && <span class="unseen">{SAID[kind]}</span>}
            <span class="code">
              <span class="shift">{line && <Code pieces={line.s} />}</span>
            </span>
          </span>
        )
      })}
    </div>
  )
}

function isPair(row: DiffRow): row is readonly [DiffLine | null, DiffLine | null] {
  return Array.isArray(row)
}

/** The hunk a row belongs to: the last that begins at it or above. */
function hunkAt(heads: readonly number[], index: number): number {
  let [low, high] = [0, heads.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((heads[middle] ?? 0) <= index) low = middle
    else high = middle - 1
  }
  return low
}

/** Pages that are held: those farthest from the view go first. */
const HELD = 12

/** Rows by pages, fetched as they come into view. */
function useRows(session: string, path: string, mark: string, layout: Layout) {
  const key = `${session} ${path} ${mark} ${layout}`
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
