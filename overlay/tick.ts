/**
 * Memoizes questions to the kernel for one turn of the event loop: one callback, and the promises it settled. No other
 * input reaches the process within a turn, so the answers are as good as if everything happened at once. After a
 * millisecond a long turn counts as another one.
 */
const LONGEST_MS = 1

let ticks = 0
let since = 0
let isOpen = false

/** The number of the current turn. */
function currentTick(now = performance.now()): number {
  if (isOpen && now - since < LONGEST_MS) return ticks
  since = now
  ticks++
  if (!isOpen) process.nextTick(end)
  isOpen = true
  return ticks
}

function end(): void {
  isOpen = false
}

/** Discards this turn's answers, because this process itself has changed something. */
export function invalidateTick(): void {
  ticks++
}

/** Calls `ask` at most once per turn. */
export function memoizePerTick<T>(ask: () => T): () => T {
  let last: { readonly turn: number; readonly answer: T } | undefined
  return () => {
    const now = currentTick()
    if (last?.turn !== now) last = { turn: now, answer: ask() }
    return last.answer
  }
}
