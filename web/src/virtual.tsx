import type { ComponentChildren, Ref } from 'preact'
import { useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from 'preact/hooks'

export interface Scroller {
  /** Scrolls to a row. */
  show(index: number, where?: 'start' | 'near'): void
  focus(): void
}

/** The position of a row. A row that may grow has only a minimum height. */
export type RowStyle = {
  readonly top: string
  readonly height?: string
  readonly minHeight?: string
}

interface Props {
  readonly count: number
  /** The height of a row in pixels. */
  readonly height: number
  /** The sorted indexes of taller rows, which `extraHeight` pixels are added to. */
  readonly tallRows?: readonly number[]
  readonly extraHeight?: number
  /** If defined, rows may grow with their content. They are measured again when this changes. */
  readonly measured?: string | undefined
  readonly class: string
  readonly role?: 'list' | 'table'
  readonly label: string
  readonly scroller?: Ref<Scroller>
  readonly children: (index: number, style: RowStyle) => ComponentChildren
  /** Called with the first and last visible row. */
  readonly onVisible?: (first: number, last: number) => void
}

const OVERSCAN = 12
const NONE: readonly number[] = []

/** A list that renders only the rows in view. */
export function VirtualList({
  count,
  height,
  tallRows = NONE,
  extraHeight = 0,
  measured,
  onVisible,
  scroller,
  children,
  ...rest
}: Props) {
  const ref = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 600, width: 0 })
  const [, redraw] = useState(0)
  const key = `${measured} ${view.width}`
  const heights = useRef(new MeasuredHeights(key))
  if (heights.current.key !== key) heights.current = new MeasuredHeights(key)
  const minHeightOf = (index: number) =>
    height + (countBelow(tallRows, index + 1) - countBelow(tallRows, index)) * extraHeight
  const topOf = (index: number) =>
    index * height + countBelow(tallRows, index) * extraHeight + heights.current.above(index)
  const indexAt = (y: number) => {
    let [low, high] = [0, Math.max(0, count - 1)]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (topOf(middle) <= y) low = middle
      else high = middle - 1
    }
    return low
  }
  useLayoutEffect(() => {
    const element = ref.current
    if (element === null) return
    const update = () => setView({ top: element.scrollTop, height: element.clientHeight, width: element.clientWidth })
    const observer = new ResizeObserver(update)
    observer.observe(element)
    element.addEventListener('scroll', update, { passive: true })
    update()
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', update)
    }
  }, [])
  useImperativeHandle(scroller ?? null, () => ({
    focus: () => ref.current?.focus({ preventScroll: true }),
    show(index, where = 'near') {
      const element = ref.current
      if (element === null) return
      const [top, bottom] = [topOf(index), topOf(index + 1)]
      if (where === 'start') element.scrollTop = Math.max(0, top - height)
      else if (top < element.scrollTop) element.scrollTop = Math.max(0, top - height)
      else if (bottom > element.scrollTop + element.clientHeight)
        element.scrollTop = bottom - element.clientHeight + height
    },
  }))
  const first = Math.max(0, indexAt(view.top) - OVERSCAN)
  const last = Math.min(count - 1, indexAt(view.top + view.height) + OVERSCAN)
  useEffect(() => {
    if (count > 0) onVisible?.(first, last)
  }, [first, last, count, onVisible])
  useLayoutEffect(() => {
    const element = ref.current
    if (measured === undefined || element === null) return
    const found = [...(element.firstElementChild?.children ?? [])].map(
      (row, at) => [first + at, row.getBoundingClientRect().height - minHeightOf(first + at)] as const,
    )
    const top = indexAt(element.scrollTop)
    const shift = heights.current.set(found, top)
    if (shift === undefined) return
    // Keep the visible text in place after rows above it have grown.
    element.scrollTop += shift
    redraw((last) => last + 1)
  })
  const rows = []
  for (let index = first; index <= last; index++)
    rows.push(
      children(index, {
        top: `${topOf(index)}px`,
        ...(measured === undefined ? { height: `${minHeightOf(index)}px` } : { minHeight: `${minHeightOf(index)}px` }),
      }),
    )
  return (
    <div ref={ref} class={`virtual ${rest.class}`} role="region" aria-label={rest.label} tabIndex={0}>
      <div
        class="virtual-all"
        role={rest.role}
        aria-rowcount={rest.role === 'table' ? count : undefined}
        aria-label={rest.role && rest.label}
        style={{ height: `${topOf(count)}px` }}
      >
        {rows}
      </div>
    </div>
  )
}

/** The measured differences between rows' heights and their minimum heights. */
class MeasuredHeights {
  readonly #extra = new Map<number, number>()
  #rows: number[] = []
  #sums: number[] = [0]

  constructor(readonly key: string) {}

  above(index: number): number {
    return this.#sums[countBelow(this.#rows, index)] ?? 0
  }

  /** Stores measurements. Returns the growth of the rows above `top`, or undefined if no row changed. */
  set(found: readonly (readonly [index: number, by: number])[], top: number): number | undefined {
    const changed = found.filter(([index, by]) => Math.abs((this.#extra.get(index) ?? 0) - by) > 0.5)
    if (changed.length === 0) return undefined
    let shift = 0
    for (const [index, by] of changed) {
      if (index < top) shift += by - (this.#extra.get(index) ?? 0)
      this.#extra.set(index, by)
    }
    this.#rows = [...this.#extra.keys()].sort((a, b) => a - b)
    this.#sums = [0]
    for (const row of this.#rows) this.#sums.push((this.#sums.at(-1) ?? 0) + (this.#extra.get(row) ?? 0))
    return shift
  }
}

/** Counts the sorted numbers that are below an index. */
function countBelow(sorted: readonly number[], index: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) < index) low = middle + 1
    else high = middle
  }
  return low
}
