import { expect, it } from 'vitest'
import { changeKey } from '../../src/hub/change-key.js'
import { removeRepository, setRepository } from '../../src/hub/repositories.js'
import { openStores } from '../../src/hub/stores.js'
import { revokeToken } from '../../src/hub/tokens.js'
import { serveTrial, trialDatabase, turnOf } from '../hub/fixtures.js'
import { call, submit, uploadContent } from './kit.js'

/** Requests that wait for decisions. */

async function waitingHub() {
  const [hub, database] = [await serveTrial(), await trialDatabase()]
  const [host, reviewer] = [await hub.token('laptop', 'host'), await hub.token('Ada', 'reviewer')]
  const change = await uploadContent(hub, host, 'a.txt', 'hello\n')
  const { id } = (await submit(hub, host, [change])).body
  const approve = async () => {
    const decision = { keys: [changeKey(change)], verdict: 'approved' }
    expect((await call(hub, reviewer, `/v1/queue/${id}/decisions`, decision)).status).toBe(204)
  }
  return { hub, database, host, approve }
}

it('a machine whose token was revoked while it waited gets no decision', async () => {
  const { hub, database, host, approve } = await waitingHub()
  const other = await hub.token('desk', 'host')
  const waiting = call(hub, host, '/v1/decisions?since=0&wait=30')
  // Answered after a request that was sent before it.
  for (let count = 0; count < 3; count++) await call(hub, other, '/v1/decisions')
  await revokeToken(database, Object.assign({ name: 'laptop' }, hub.scope))
  await approve()
  expect((await waiting).status).toBe(401)
})

it('a landing that has ended is answered at once', async () => {
  const { hub, database, host, approve } = await waitingHub()
  await setRepository(
    database,
    Object.assign({ url: '/srv/a.git', branch: 'main', directory: '', checks: [] }, hub.scope),
  )
  await approve()
  const { next } = (await call(hub, host, '/v1/decisions')).body
  const { landings } = openStores(database, hub.scope)
  const turn = await turnOf(database, hub.scope, 'worker')
  const [landing] = await landings.begin(turn, 5)
  await landings.end(turn, [{ id: landing?.id ?? '', state: 'landed', commit: 'c' }])
  await removeRepository(database, hub.scope)
  const { body } = await call(hub, host, `/v1/decisions?since=${next}&wait=30`)
  expect(body.landings).toMatchObject([{ state: 'landed', commit: 'c' }])
})
