import { expect, it } from 'vitest'
import { untilAborted } from '../../src/cli/run-until-signal.js'

it('a signal that came before anything waits for it is not missed', async () => {
  await untilAborted(AbortSignal.abort())
  const controller = new AbortController()
  const waiting = untilAborted(controller.signal)
  controller.abort()
  expect(await waiting).toBeUndefined()
})
