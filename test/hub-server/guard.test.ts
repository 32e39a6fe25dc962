import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { addToken } from '../../src/hub/tokens.js'
import { toFailure } from '../../src/hub-server/failure.js'
import { createGuard, type HubEnv } from '../../src/hub-server/guard.js'
import { newScope, trialDatabase } from '../hub/fixtures.js'

it('a valid token also works while strangers guess tokens', async () => {
  const database = await trialDatabase()
  const token = await addToken(database, Object.assign(newScope(), { name: 'laptop', role: 'host' } as const))
  const app = new Hono<HubEnv>()
  app.onError((error, c) => c.json({}, toFailure(error, () => undefined).status))
  app.use(createGuard(database, { now: () => 0 }).authenticate)
  app.get('/', (c) => c.text(c.get('caller').name))
  const ask = (word: string) => app.request('/', { headers: { authorization: `Bearer ${word}` } })
  const guesses = await Promise.all(Array.from({ length: 125 }, (_, index) => ask(`guess ${index}`)))
  expect(guesses.filter(({ status }) => status === 401)).toHaveLength(120)
  expect(guesses.filter(({ status }) => status === 503)).toHaveLength(5)
  expect(await (await ask(token)).text()).toBe('laptop')
})
