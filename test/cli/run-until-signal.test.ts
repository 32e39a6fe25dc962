import { expect, it } from 'vitest'
import { exitCodeAfter, runUntilSignal, untilAborted } from '../../src/cli/run-until-signal.js'

it('a signal that came before anything waits for it is not missed', async () => {
  await untilAborted(AbortSignal.abort())
  const controller = new AbortController()
  const waiting = untilAborted(controller.signal)
  controller.abort()
  expect(await waiting).toBeUndefined()
})

it('a program ended by a signal has the exit code that a shell reports', async () => {
  const code = runUntilSignal(async (signal) => {
    process.kill(process.pid, 'SIGHUP')
    await untilAborted(signal)
    return exitCodeAfter(signal)
  })
  expect(await code).toBe(129)
  expect(exitCodeAfter(new AbortController().signal)).toBe(1)
})
