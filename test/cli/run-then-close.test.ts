import { expect, it, vi } from 'vitest'
import { runThenClose } from '../../src/cli/run-then-close.js'

const failWith = (text: string) => async () => {
  throw new Error(text)
}

it('returns the result of the work after closing', async () => {
  const close = vi.fn(async () => undefined)
  expect(await runThenClose(async () => 1, close)).toBe(1)
  expect(close).toHaveBeenCalledOnce()
})

it('rejects with the error of the work, even if closing fails, and else with the error of closing', async () => {
  await expect(runThenClose(failWith('work'), failWith('close'))).rejects.toThrow('work')
  await expect(runThenClose(async () => 1, failWith('close'))).rejects.toThrow('close')
})
