import type { ComponentChildren, Ref } from 'preact'
import { useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from 'preact/hooks'

export interface Scroller {
  /** Brings a row into view. */
  show(index: number, where?: 'start' | 'near'): void
  focus(): void
}

/** Where a row is; one that may grow has a least height only. */
export type RowStyle = {
  readonly top: string
  readonly height?: string
  readonly minHeight?: string
}

interface Props {
  readonly count: number
  /** Pixels of a row. */
  readonly height: number
  /** Rows that are taller, in order, and by how much. */
  readonly tall?: readonly number[]
  readonly more?: number
  /** Rows may grow with their content: they are measured, and measured again when this changes. */
  readonly measured?: string | undefined
  readonly class: string
  readonly role?: 'list' | 'table'
  readonly label: string
  readonly scroller?: Ref<Scroller>
  readonly children: (index: number, style: RowStyle) => ComponentChildren
  /** Told which rows are looked at. */
  readonly seen?: (first: number, last: number) => void
}

const BEYOND = 12
const NONE: readonly number[] = []

/** A list of which only the rows in view exist, however long it is. */
export function VirtualList({
  count,
  height,
  tall = NONE,
  more = 0,
  measured,
  seen,
  scroller,
  children,
  ...rest
}: Props) {
  const ref = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 600, width: 0 })
  const [, redraw] = useState(0)
  const key = `${measured} ${view.width}`
  const grown = useRef(new Grown(key))
  if (grown.current.key !== key) grown.current = new Grown(key)
  const leastOf = (index: number) => height + (before(tall, index + 1) - before(tall, index)) * more
  const topOf = (index: number) => index * height + before(tall, index) * more + grown.current.above(index)
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
    const look = () => setView({ top: element.scrollTop, height: element.clientHeight, width: element.clientWidth })
    const observer = new ResizeObserver(look)
    observer.observe(element)
    element.addEventListener('scroll', look, { passive: true })
    look()
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', look)
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
  const first = Math.max(0, indexAt(view.top) - BEYOND)
  const last = Math.min(count - 1, indexAt(view.top + view.height) + BEYOND)
  useEffect(() => {
    if (count > 0) seen?.(first, last)
  }, [first, last, count, seen])
  useLayoutEffect(() => {
    const element = ref.current
    if (measured === undefined || element === null) return
    const found = [...(element.firstElementChild?.children ?? [])].map(
      (row, at) => [first + at, row.getBoundingClientRect().height - leastOf(first + at)] as const,
    )
    const top = indexAt(element.scrollTop)
    const moved = grown.current.set(found, top)
    if (moved === undefined) return
    // What is read stays where it is, though rows above it have grown.
    element.scrollTop += moved
    redraw((last) => last + 1)
  })
  const rows = []
  for (let index = first; index <= last; index++)
    rows.push(
      children(index, {
        top: `${topOf(index)}px`,
        ...(measured === undefined ? { height: `${leastOf(index)}px` } : { minHeight: `${leastOf(index)}px` }),
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

/** By how much rows are taller than their least height, as far as they were measured. */
class Grown {
  readonly #by = new Map<number, number>()
  #rows: number[] = []
  #sums: number[] = [0]

  constructor(readonly key: string) {}

  above(index: number): number {
    return this.#sums[before(this.#rows, index)] ?? 0
  }

  /** @returns by how much the rows above `top` grew; undefined where no row did. */
  set(found: readonly (readonly [index: number, by: number])[], top: number): number | undefined {
    const fresh = found.filter(([index, by]) => Math.abs((this.#by.get(index) ?? 0) - by) > 0.5)
    if (fresh.length === 0) return undefined
    let moved = 0
    for (const [index, by] of fresh) {
      if (index < top) moved += by - (this.#by.get(index) ?? 0)
      this.#by.set(index, by)
    }
    this.#rows = [...this.#by.keys()].sort((a, b) => a - b)
    this.#sums = [0]
    for (const row of this.#rows) this.#sums.push((this.#sums.at(-1) ?? 0) + (this.#by.get(row) ?? 0))
    return moved
  }
}

/** How many of the sorted numbers are below one. */
function before(sorted: readonly number[], index: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) < index) low = middle + 1
    else high = middle
  }
  return low
}
