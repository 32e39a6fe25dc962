import { performance } from 'node:perf_hooks'

/**
 * What the kernel is asked again and again is asked once a turn of the event loop: from the call of one callback until
 * it and the promises it settled are done. Nobody's word reaches this process within one, so what is found holds as well
 * as if all of it were done at once. A turn may be long: after a millisecond it counts as another.
 */
const LONGEST_MS = 1

let turn = 0
let since = 0
let isOpen = false

/** The turn's number. */
function currentTick(now = performance.now()): number {
  if (isOpen && now - since < LONGEST_MS) return turn
  since = now
  turn++
  if (!isOpen) process.nextTick(end)
  isOpen = true
  return turn
}

function end(): void {
  isOpen = false
}

/** What was asked in this turn is asked again: this process itself has changed something of it. */
export function invalidateTick(): void {
  turn++
}

/** Asks at most once a turn. */
export function memoizePerTick<T>(ask: () => T): () => T {
  let last: { readonly turn: number; readonly answer: T } | undefined
  return () => {
    const now = currentTick()
    if (last?.turn !== now) last = { turn: now, answer: ask() }
    return last.answer
  }
}
