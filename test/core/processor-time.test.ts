import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { processorMs, startTimeLimit } from '../../src/core/processor-time.js'

function burnCpu(milliseconds: number): void {
  const end = processorMs() + milliseconds
  while (processorMs() < end) Math.sqrt(end)
}

it('a time limit counts the work of the process', () => {
  const isExceeded = startTimeLimit(50)
  expect(isExceeded()).toBe(false)
  burnCpu(60)
  expect(isExceeded()).toBe(true)
})

it('a time limit does not count waiting', async () => {
  const isExceeded = startTimeLimit(500)
  await setTimeout(600)
  expect(isExceeded()).toBe(false)
})
