import { performance } from 'node:perf_hooks'
import { setImmediate } from 'node:timers'

/**
 * Most calls are answered from memory, at once. A program that awaits one after the other would never leave its
 * microtasks, and no timer and no I/O of the process would run. So promises share a budget for each turn of the event
 * loop: once it is spent, those that follow resolve in the next turn. Callbacks run in a turn of their own, as Node's do.
 */

/** How long promises may follow each other within one turn (milliseconds). */
const BUDGET_MS = 1
/** How many of those that waited resolve in one turn: each may be followed by another call. */
const AT_ONCE = 16

/** When the first answer of this turn was given. Undefined: none was yet. */
let began: number | undefined
const waiting: (() => void)[] = []

/** Undefined while there is time left in this turn and nobody waits; else a later turn. Asked once for each answer. */
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

/** Runs work at once, and answers by a promise: in this turn or the next one. */
export async function promiseOf<T>(work: () => T): Promise<Awaited<T>> {
  try {
    return await work()
  } finally {
    const turn = nextTurn()
    if (turn) await turn
  }
}

/** Calls back with an answer, after the present work, its ticks and its microtasks are done. */
export function later(answer: () => void): void {
  setImmediate(answer)
}

/** Looks, or does, something in a later turn. */
export async function afterTurn<T>(work: () => T): Promise<T> {
  await new Promise<void>((resolve) => setImmediate(resolve))
  return work()
}
