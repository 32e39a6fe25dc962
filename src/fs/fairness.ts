import { setImmediate } from 'node:timers'

/**
 * Most calls are answered from memory, at once. A program that awaits one after the other would never leave the
 * microtask queue, and no timer and no I/O of the process would run. So promises share a budget for each turn of the
 * event loop. Once it is used up, the next ones resolve in the next turn. Callbacks run in a turn of their own, as
 * Node's do.
 */

/** How many milliseconds of promises may follow each other in one turn. */
const BUDGET_MS = 1
/** How many waiting promises resolve in one turn. Each may be followed by another call. */
const AT_ONCE = 16

/** The time of this turn's first answer; undefined before it. */
let began: number | undefined
const waiting: (() => void)[] = []

/** Undefined while this turn has time left and nobody waits; else a later turn. Called once for each answer. */
export function nextTurn(): Promise<void> | undefined {
  const now = performance.now()
  if (began === undefined) begin(now)
  else if (now - began >= BUDGET_MS || waiting.length > 0) return new Promise((resolve) => waiting.push(resolve))
  return undefined
}

function begin(now: number): void {
  began = now
  setImmediate(releaseWaiting)
}

function releaseWaiting(): void {
  began = undefined
  for (const resolve of waiting.splice(0, AT_ONCE)) resolve()
  if (waiting.length > 0) begin(performance.now())
}

/** Runs work at once. The promise resolves in this turn or the next. */
export async function promiseOf<T>(work: () => T): Promise<Awaited<T>> {
  try {
    return await work()
  } finally {
    const turn = nextTurn()
    if (turn) await turn
  }
}

/** Calls back after the present work, its ticks and its microtasks. */
export function later(answer: () => void): void {
  setImmediate(answer)
}

/** Runs work in a later turn. */
export async function afterTurn<T>(work: () => T): Promise<T> {
  await new Promise<void>((resolve) => setImmediate(resolve))
  return work()
}
