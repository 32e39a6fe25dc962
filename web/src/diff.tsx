import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { DiffLine, Layout, WireFile, WireWord } from '../../src/web/wire.js'
import { keyOf } from './keys.js'
import { isPair, textOf, useRows } from './rows.js'
import { Code } from './shared.js'
import { type RowStyle, type Scroller, VirtualList } from './virtual.js'

interface Props {
  readonly session: string
  readonly path: string
  readonly file: WireFile
  readonly layout: Layout
  readonly wrap: boolean
  /** Text that is searched for, in small letters. */
  readonly find: string
  /** The hunk the keys are at. */
  readonly at: number
  readonly setAt: (at: number) => void
  readonly decide: (word: WireWord, hunk: string) => void
  readonly divide: (hunk: string) => void
}

const ROW = 20
const HEAD = 14

/** The rows of a file's diff, of which only those in view exist. */
export function Diff({ session, path, file, layout, wrap, find, at, setAt, decide, divide }: Props) {
  const { rowAt, seen, widest } = useRows(session, path, file, layout)
  const heads = useMemo(() => file.hunks.map((hunk) => hunk.at[layout]), [file, layout])
  const scroller = useRef<Scroller>(null)
  const hunk = file.hunks[at]
  // A hunk that was clicked is in view: scrolling it would move its buttons away from the pointer.
  const clicked = useRef(false)
  useEffect(() => {
    const stays = clicked.current
    clicked.current = false
    if (hunk !== undefined && !stays) scroller.current?.show(hunk.at[layout], at === 0 ? 'near' : 'start')
  }, [at, layout])
  const [shift, setShift] = useState(0)
  const row = (index: number, style: RowStyle) => {
    const found = rowAt(index)
    const number = hunkAt(heads, index)
    const isFound = find !== '' && found !== undefined && textOf(found).includes(find)
    const current = `${number === at ? ' current' : ''}${isFound ? ' found' : ''}`
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
        count={file.total[layout]}
        height={ROW}
        tall={heads}
        more={HEAD}
        measured={wrap ? `${path} ${file.mark} ${layout} ${heads.length}` : undefined}
        seen={seen}
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
