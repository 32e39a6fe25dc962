import { expect, it } from 'vitest'
import { digest } from '../../overlay/index.js'
import { serveTrial } from '../hub/fixtures.js'
import { call, submit, uploadContent } from './kit.js'

it('a request with a character that the database cannot store is refused, also in an address and a form', async () => {
  const hub = await serveTrial()
  const [host, ada] = [await hub.token('laptop', 'host'), await hub.token('Ada', 'reviewer')]
  const { id } = (await submit(hub, host, [await uploadContent(hub, host, 'a', 'x\n')])).body
  const { key } = (await call(hub, ada, `/v1/queue/${id}`)).body.changes[0]
  const form = await fetch(`${hub.url}/review/${id}`, {
    method: 'POST',
    headers: { cookie: `escrow-hub=${ada}`, origin: hub.url },
    body: new URLSearchParams({ key, verdict: 'rejected', reason: 'a\0', decider: 'Ada' }),
  })
  const answers = [
    await call(hub, ada, `/v1/queue/${id}/decisions`, { keys: [key], verdict: 'rejected', reason: 'a\0' }),
    await call(hub, ada, '/v1/queue/%00'),
    await call(hub, ada, '/v1/contents/%00'),
    await call(hub, ada, '/v1/ledgers/%00'),
    await call(hub, ada, '/v1/claims/%00/end', {}),
    await call(hub, host, '/v1/intents/a', { name: 'a\0', status: 'DONE' }, 'PUT'),
    form,
  ]
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 400))
  expect((await call(hub, ada, `/v1/queue/${id}`)).body.changes[0].verdict).toBeUndefined()
  expect(hub.errors).toEqual([])
})

it('a body needs no length, has the same limit without one, and is not read before the token', async () => {
  const hub = await serveTrial()
  const token = await hub.token('laptop', 'host')
  const send = (path: string, size: number, headers: Record<string, string>, method = 'PUT') => {
    const body = new Blob([new Uint8Array(size)]).stream()
    return fetch(`${hub.url}${path}`, Object.assign({ method, headers }, { body, duplex: 'half' })).then(
      ({ status }) => status,
      () => 'ended',
    )
  }
  const authorization = `Bearer ${token}`
  const path = (size: number) => `/v1/contents/${digest(new Uint8Array(size))}`
  expect(await send(path(9), 9, { authorization })).toBe(200)
  // A client that is refused while still sending may see the connection end before the response.
  const long = 8 * 1024 * 1024 + 1
  expect([413, 'ended']).toContain(await send(path(long), long, { authorization }))
  expect([401, 'ended']).toContain(await send(path(long), long, {}))
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  expect([413, 'ended']).toContain(await send('/login', long, form, 'POST'))
  expect(await send('/login', 9, form, 'POST')).toBe(400)
  expect(hub.errors).toEqual([])
})
