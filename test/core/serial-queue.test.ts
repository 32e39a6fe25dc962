import { describe, expect, it } from 'vitest'
import { SerialQueue } from '../../src/core/serial-queue.js'

describe('SerialQueue', () => {
  it('starts work only once the work before it has ended', async () => {
    const queue = new SerialQueue()
    const events: string[] = []
    const work = (name: string, ms: number) => async () => {
      events.push(`${name} starts`)
      await new Promise((resolve) => setTimeout(resolve, ms))
      events.push(`${name} ends`)
    }
    await Promise.all([queue.run(work('slow', 10)), queue.run(work('quick', 0))])
    expect(events).toEqual(['slow starts', 'slow ends', 'quick starts', 'quick ends'])
  })

  it('returns what the work returns', async () => {
    expect(await new SerialQueue().run(() => 7)).toBe(7)
  })

  it('passes a failure to its caller alone and continues', async () => {
    const queue = new SerialQueue()
    const failed = queue.run(() => Promise.reject(new Error('no')))
    const next = queue.run(() => 'next')
    await expect(failed).rejects.toThrow('no')
    expect(await next).toBe('next')
  })

  it('is idle when the last work has ended, even if it failed', async () => {
    const queue = new SerialQueue()
    let hasEnded = false
    const failed = queue.run(async () => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      hasEnded = true
      throw new Error('no')
    })
    failed.catch(() => undefined)
    await queue.idle()
    expect(hasEnded).toBe(true)
  })
})
