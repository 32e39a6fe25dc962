import type { Ref } from 'preact'
import { useCallback, useEffect, useImperativeHandle, useRef, useState } from 'preact/hooks'
import type { DiffLine, Layout, WireFile, WireWord } from '../../src/web/wire.js'
import type { Notifier } from './app.js'
import { STEP, useGaps } from './gaps.js'
import { keyOf } from './keys.js'
import { isPair, textOf, useRows } from './rows.js'
import { Code, describeError, pluralize } from './shared.js'
import { type RowStyle, type Scroller, VirtualList } from './virtual.js'

/** Actions of the diff for keys. */
export interface DiffKeys {
  /** Shows more unchanged lines around the current hunk. */
  expand(): void
  /** Scrolls to a row. */
  show(row: number): void
}

interface Props extends Notifier {
  readonly session: string
  readonly path: string
  readonly file: WireFile
  readonly layout: Layout
  readonly wrap: boolean
  /** The search text in lower case. */
  readonly find: string
  /** The row of the current match. */
  readonly match: number | undefined
  readonly keys: Ref<DiffKeys>
  /** The index of the current hunk. */
  readonly at: number
  readonly setAt: (at: number) => void
  readonly decide: (word: WireWord, hunk: string) => void
  readonly divide: (hunk: string) => void
}

const ROW = 20
const HEAD = 14

/** Renders the rows of a file's diff that are in view. */
export function Diff({
  session,
  path,
  file,
  layout,
  wrap,
  find,
  match,
  keys,
  at,
  setAt,
  decide,
  divide,
  notify,
}: Props) {
  const { rowAt, seen, widest } = useRows(session, path, file, layout)
  const { slots, lineAt, expand, version } = useGaps(session, path, file, layout)
  const { heads } = slots
  const scroller = useRef<Scroller>(null)
  const hunk = file.hunks[at]
  // Do not scroll to a clicked hunk: its buttons would move away from the pointer.
  const clicked = useRef(false)
  useEffect(() => {
    const isClicked = clicked.current
    clicked.current = false
    if (hunk !== undefined && !isClicked) scroller.current?.show(heads[at] ?? 0, at === 0 ? 'near' : 'start')
  }, [at, layout])
  const showMore = (gap: number, end: 'top' | 'bottom' | 'all') =>
    void expand(gap, end).catch((error: unknown) => notify(describeError(error), 'bad'))
  useImperativeHandle(keys, () => ({
    expand() {
      showMore(at, 'bottom')
      showMore(at + 1, 'top')
    },
    show: (row) => scroller.current?.show(slots.indexOf(row), 'start'),
  }))
  const [shift, setShift] = useState(0)
  const loadVisible = useCallback(
    (first: number, last: number) => {
      const rows = [first, last].map((index) => slots.rowNear(index))
      seen(Math.min(...rows), Math.max(...rows))
    },
    [seen, slots],
  )
  const row = (index: number, style: RowStyle) => {
    const slot = slots.at(index)
    if (slot.kind === 'fold')
      return <Fold key={index} index={index} style={style} slot={slot} last={file.hunks.length} showMore={showMore} />
    const line = slot.kind === 'line' ? lineAt(slot.gap, slot.line) : undefined
    const found = slot.kind === 'row' ? rowAt(slot.row) : line && layout === 'split' ? ([line, line] as const) : line
    const number = hunkAt(heads, index)
    const isFound = find !== '' && found !== undefined && textOf(found).includes(find)
    const isHunk = slot.kind === 'row'
    const isMatch = isHunk && slot.row === match
    const current = `${isHunk && number === at ? ' current' : ''}${isFound ? ' found' : ''}${isMatch ? ' match' : ''}`
    const state = isHunk ? (file.hunks[number]?.state ?? 'pending') : 'pending'
    const props = { key: index, style, current, state }
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
          divisible={file.hunks[number]?.divisible ?? false}
          decide={decide}
          divide={divide}
          choose={() => {
            clicked.current = number !== at
            setAt(number)
          }}
        />
      )
    return isPair(found) ? (
      <Pair {...props} index={index} pair={found} />
    ) : (
      <Line {...props} index={index} line={found} />
    )
  }
  return (
    <div
      class={`diff ${layout}${wrap ? ' wrap' : ''}`}
      ref={(element) => element?.style.setProperty('--shift', `${-shift}px`)}
    >
      <VirtualList
        class="rows"
        role="table"
        label={`Diff of ${path}`}
        count={slots.total}
        height={ROW}
        tallRows={slots.tall}
        extraHeight={HEAD}
        measured={wrap ? `${path} ${file.mark} ${layout} ${heads.length} ${version}` : undefined}
        onVisible={loadVisible}
        scroller={scroller}
      >
        {row}
      </VirtualList>
      {layout === 'split' && !wrap && widest > 60 && (
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

/** A row in place of hidden unchanged lines, with buttons to show them. */
function Fold({
  index,
  style,
  slot: { gap, hidden },
  last,
  showMore,
}: {
  index: number
  style: RowStyle
  slot: { readonly gap: number; readonly hidden: number }
  /** The gap after the last hunk. */
  last: number
  showMore: (gap: number, end: 'top' | 'bottom' | 'all') => void
}) {
  const isShort = hidden <= STEP
  return (
    <div role="row" aria-rowindex={index + 1} class="fold" style={style}>
      <span role="cell" class="fold-cell">
        {!isShort && gap > 0 && (
          <button
            type="button"
            class="plain"
            title="Show more lines after the hunk above"
            onClick={() => showMore(gap, 'top')}
          >
            ↓ {STEP}
          </button>
        )}
        {!isShort && gap < last && (
          <button
            type="button"
            class="plain"
            title="Show more lines before the hunk below"
            onClick={() => showMore(gap, 'bottom')}
          >
            ↑ {STEP}
          </button>
        )}
        <button type="button" class="plain" onClick={() => showMore(gap, 'all')}>
          Show {pluralize(hidden, 'unchanged line')}
        </button>
      </span>
    </div>
  )
}

interface RowProps {
  readonly style: RowStyle
  readonly index: number
  readonly current: string
  readonly state: string
}

function HunkHead({
  line,
  number,
  state,
  alone,
  divisible,
  decide,
  divide,
  choose,
  style,
  current,
  index,
}: RowProps & {
  line: DiffLine
  number: number
  alone: boolean
  divisible: boolean
  decide: Props['decide']
  divide: Props['divide']
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
        <span class="hunk-actions">
          {divisible && (
            <button
              type="button"
              class="plain"
              aria-label={`Divide hunk ${number + 1}`}
              title={`Divide this hunk (${keyOf('split')})`}
              onClick={() => divide(id)}
            >
              ÷
            </button>
          )}
          {!alone && state !== 'pending' && (
            <button
              type="button"
              class="plain"
              aria-label={`Take back the verdict on hunk ${number + 1}`}
              title={`Take the verdict back (${keyOf('undo')})`}
              onClick={() => decide('withdrawn', id)}
            >
              ↺
            </button>
          )}
          {!alone && (
            <>
              <button
                type="button"
                class="bad"
                aria-label={`Reject hunk ${number + 1}`}
                title={`Reject this hunk (${keyOf('reject')})`}
                onClick={() => decide('rejected', id)}
              >
                ✕
              </button>
              <button
                type="button"
                class="good"
                aria-label={`Approve hunk ${number + 1}`}
                title={`Approve this hunk (${keyOf('approve')})`}
                onClick={() => decide('approved', id)}
              >
                ✓
              </button>
            </>
          )}
        </span>
      </span>
    </div>
  )
}

const LINE_CLASSES: Readonly<Record<DiffLine['t'], string>> = {
  '@': 'head',
  ' ': 'same',
  '+': 'add',
  '-': 'del',
  '\\': 'end',
}
const SPOKEN_SIGNS: Readonly<Record<string, string>> = { add: 'added: ', del: 'removed: ' }

function Line({ line, style, current, state, index }: RowProps & { line: DiffLine }) {
  const kind = LINE_CLASSES[line.t]
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
        {SPOKEN_SIGNS[kind] && <span class="unseen">{SPOKEN_SIGNS[kind]}</span>}
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
        const kind = line === null ? 'none' : LINE_CLASSES[line.t]
        return (
          <span key={side} role="cell" class={`half ${kind}`}>
            <span class="no">{(side === 0 ? line?.o : line?.n) ?? ''}</span>
            {SPOKEN_SIGNS[kind] && <span class="unseen">{SPOKEN_SIGNS[kind]}</span>}
            <span class="code">
              <span class="shift">{line && <Code pieces={line.s} />}</span>
            </span>
          </span>
        )
      })}
    </div>
  )
}

/** The index of the hunk at a row: the last one that starts at or above it. */
function hunkAt(heads: readonly number[], index: number): number {
  let [low, high] = [0, heads.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((heads[middle] ?? 0) <= index) low = middle
    else high = middle - 1
  }
  return low
}
