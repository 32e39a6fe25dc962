import { expect, it } from 'vitest'
import { inScope } from '../../src/hub/scope.js'
import { openStores } from '../../src/hub/stores.js'
import { serveTrial, trialDatabase } from '../hub/fixtures.js'
import { call, submit, uploadContent } from './kit.js'

it('a change whose contents were removed is listed on its page without them, and nobody can decide on its lines', async () => {
  const hub = await serveTrial()
  const [host, ada] = [await hub.token('laptop', 'host'), await hub.token('Ada', 'reviewer')]
  const first = (await submit(hub, host, [await uploadContent(hub, host, 'a', 'first\n')])).body.id
  await submit(hub, host, [await uploadContent(hub, host, 'a', 'second\n')])
  const database = await trialDatabase()
  await inScope(database, hub.scope, (query) =>
    query.rows(`update escrow.contents set sent_at = now() - interval '2 days'`),
  )
  expect(await openStores(database, hub.scope).contents.removeUnused(1)).toEqual({ contents: 1, bytes: 6 })
  const response = await fetch(`${hub.url}/review/${first}`, { headers: { cookie: `escrow-hub=${ada}` } })
  expect(response.status).toBe(200)
  const page = await response.text()
  expect(page).toContain('The hub no longer has its contents.')
  expect(page).not.toContain('type="checkbox"')
  const { changes } = (await call(hub, ada, `/v1/queue/${first}`)).body
  const hunks = [{ key: changes[0].key, ids: ['h_1'] }]
  const decided = await call(hub, ada, `/v1/queue/${first}/decisions`, { keys: [], hunks, verdict: 'approved' })
  expect(decided.status).toBeGreaterThanOrEqual(400)
  expect(decided.status).toBeLessThan(500)
  expect(hub.errors).toEqual([])
})
