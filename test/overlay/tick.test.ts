import { readFile } from 'node:fs/promises'
import { MessageChannel } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { invalidateTick, memoizePerTick } from '../../overlay/tick.js'

function memoizedCounter(): () => number {
  let count = 0
  return memoizePerTick(() => ++count)
}

/** Only the clock ends a turn meanwhile. */
function busy(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

/** The callbacks that come next: each is a separate turn. */
const NEXT = {
  setImmediate: () => new Promise((next) => setImmediate(next)),
  'a timer': () => new Promise((next) => setTimeout(next, 0)),
  'a read': () => readFile(import.meta.filename),
}

describe('a memo for one turn of the event loop', () => {
  it.each(Object.entries(NEXT))('is computed again in the next one, by %s', async (_, next) => {
    const ask = memoizedCounter()
    await next()
    const first = ask()
    await next()
    expect(ask()).toBe(first + 1)
    await next()
    expect(ask()).toBe(first + 2)
  })

  it('has ended when a message arrives, however soon after it', async () => {
    const { port1, port2 } = new MessageChannel()
    const ask = memoizedCounter()
    const first = ask()
    const answer = new Promise((done) => port2.on('message', () => done(ask())))
    port1.postMessage('changed')
    expect(await answer).toBe(first + 1)
    port1.close()
  })

  it('is computed again after a millisecond of a long turn', () => {
    const ask = memoizedCounter()
    const first = ask()
    busy(1.1)
    expect(ask()).toBe(first + 1)
  })

  it('is computed again after an invalidation', () => {
    const ask = memoizedCounter()
    const first = ask()
    invalidateTick()
    expect(ask()).toBe(first + 1)
  })

  it('is computed once for synchronous work', () => {
    // A pause of the process in between would end the turn.
    const held = Array.from({ length: 50 }, () => {
      const ask = memoizedCounter()
      const first = ask()
      return ask() === first
    })
    expect(held).toContain(true)
  })
})
