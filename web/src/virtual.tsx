import type { ComponentChildren, Ref } from 'preact'
import { useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from 'preact/hooks'

export interface Scroller {
  /** Brings a row into view. */
  show(index: number, where?: 'start' | 'near'): void
  focus(): void
}

interface Props {
  readonly count: number
  /** Pixels of a row. */
  readonly height: number
  /** Rows that are taller, in order, and by how much. */
  readonly tall?: readonly number[]
  readonly more?: number
  readonly class: string
  readonly role?: 'list' | 'table'
  readonly label: string
  readonly scroller?: Ref<Scroller>
  readonly children: (index: number, style: { top: string; height: string }) => ComponentChildren
  /** Told which rows are looked at. */
  readonly seen?: (first: number, last: number) => void
}

const BEYOND = 12
const NONE: readonly number[] = []

/** A list of which only the rows in view exist, however long it is. */
export function VirtualList({ count, height, tall = NONE, more = 0, seen, scroller, children, ...rest }: Props) {
  const ref = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 600 })
  const topOf = (index: number) => index * height + before(tall, index) * more
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
    const look = () => setView({ top: element.scrollTop, height: element.clientHeight })
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
  const rows = []
  for (let index = first; index <= last; index++)
    rows.push(children(index, { top: `${topOf(index)}px`, height: `${topOf(index + 1) - topOf(index)}px` }))
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
