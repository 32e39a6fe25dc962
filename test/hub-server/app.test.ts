import { describe, expect, it } from 'vitest'
import { digest } from '../../overlay/index.js'
import { changeKey } from '../../src/hub/change-key.js'
import { revokeToken } from '../../src/hub/tokens.js'
import { createChange, serveTrial, trialDatabase } from '../hub/fixtures.js'
import { call, type Hub, submit, uploadContent } from './kit.js'

describe('a token', () => {
  it.each(['', 'wrong', 'Bearer'])('%j is not accepted', async (token) => {
    const hub = await serveTrial()
    for (const path of ['/v1/me', '/v1/queue', '/v1/decisions', '/v1/audit', '/v1/claims'])
      expect((await call(hub, token, path)).status, path).toBe(401)
  })

  it('of a host never decides, and reads no content and no queue', async () => {
    const hub = await serveTrial()
    const host = await hub.token('laptop', 'host')
    const change = await uploadContent(hub, host, 'a.txt', 'hello\n')
    const { id } = (await submit(hub, host, [change])).body
    const decision = { keys: [changeKey(change)], verdict: 'approved' }
    const { epoch } = (await call(hub, host, '/v1/sessions/laptop.agent-1/open', {})).body
    const claimed = await call(hub, host, '/v1/claims', {
      session: 'laptop.agent-1',
      epoch,
      path: 'src',
      milliseconds: 1000,
    })
    for (const [path, json] of [
      [`/v1/queue/${id}/decisions`, decision],
      [`/v1/claims/${claimed.body.claim.id}/end`, {}],
      ['/v1/queue', undefined],
      [`/v1/queue/${id}`, undefined],
      [`/v1/contents/${digest('hello\n')}`, undefined],
      ['/v1/audit', undefined],
      ['/v1/rules', undefined],
    ] as const)
      expect((await call(hub, host, path, json)).status, path).toBe(403)
    expect((await call(hub, host, '/v1/decisions')).body.decisions).toEqual([])
    const page = await fetch(`${hub.url}/review/${id}`, {
      method: 'POST',
      headers: { cookie: `escrow-hub=${host}`, origin: hub.url, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ key: changeKey(change), verdict: 'approved', decider: 'laptop' }),
    })
    expect(page.status).toBe(403)
    expect((await call(hub, host, '/v1/decisions')).body.decisions).toEqual([])
  })

  it.each(['reviewer', 'admin'] as const)('of a %s cannot submit', async (role) => {
    const hub = await serveTrial()
    const token = await hub.token('Ada', role)
    expect((await submit(hub, token, [])).status).toBe(403)
    expect((await call(hub, token, '/v1/decisions')).status).toBe(403)
    expect((await call(hub, token, `/v1/contents/${digest('x')}`, 'x', 'PUT')).status).toBe(403)
  })

  it("of an admin is the only one that sets review rules, and no answer has a token's hash", async () => {
    const hub = await serveTrial()
    const [ada, root] = [await hub.token('Ada', 'reviewer'), await hub.token('Root', 'admin')]
    const host = await hub.token('laptop', 'host')
    const rules = { approvals: 2, codeowners: '* @ada\n', teams: {} }
    for (const token of [ada, host]) expect((await call(hub, token, '/v1/rules', rules, 'PUT')).status).toBe(403)
    expect((await call(hub, root, '/v1/rules', { approvals: 0 }, 'PUT')).status).toBe(400)
    expect((await call(hub, root, '/v1/rules', rules, 'PUT')).status).toBe(204)
    expect((await call(hub, ada, '/v1/rules')).body).toEqual(rules)
    expect((await call(hub, ada, '/v1/me')).body).toEqual(Object.assign({ name: 'Ada', role: 'reviewer' }, hub.scope))
  })

  it('that was revoked no longer counts, and the page says what is missing', async () => {
    const hub = await serveTrial()
    const [host, ada, bo] = [
      await hub.token('laptop', 'host'),
      await hub.token('Ada', 'reviewer'),
      await hub.token('Bo', 'reviewer'),
    ]
    const root = await hub.token('Root', 'admin')
    await call(hub, root, '/v1/rules', { approvals: 2, codeowners: null, teams: {} }, 'PUT')
    const change = await uploadContent(hub, host, 'a.txt', 'hello\n')
    const { id } = (await submit(hub, host, [change])).body
    const decision = { keys: [changeKey(change)], verdict: 'approved' }
    expect((await call(hub, ada, `/v1/queue/${id}/decisions`, decision)).status).toBe(204)
    const page = await fetch(`${hub.url}/review/${id}`, { headers: { cookie: `escrow-hub=${bo}` } })
    expect(await page.text()).toContain('Approved by Ada. It needs 1 more approval.')
    await revokeToken(await trialDatabase(), Object.assign({ name: 'Ada' }, hub.scope))
    expect((await call(hub, bo, `/v1/queue/${id}/decisions`, decision)).status).toBe(204)
    expect((await call(hub, host, '/v1/decisions')).body.decisions).toEqual([])
  })

  it('of another tenant sees and decides nothing', async () => {
    const [hub, other] = [await serveTrial(), await serveTrial()]
    const host = await hub.token('laptop', 'host')
    const change = await uploadContent(hub, host, 'a.txt', 'secret\n')
    const { id } = (await submit(hub, host, [change])).body
    const stranger = await other.token('Eve', 'reviewer')
    expect((await call(hub, stranger, '/v1/queue')).body).toEqual([])
    expect((await call(hub, stranger, `/v1/queue/${id}`)).status).toBe(404)
    expect((await call(hub, stranger, `/v1/contents/${digest('secret\n')}`)).status).toBe(404)
    const decision = { keys: [changeKey(change)], verdict: 'approved' }
    expect((await call(hub, stranger, `/v1/queue/${id}/decisions`, decision)).status).toBe(404)
    expect((await call(hub, host, '/v1/decisions')).body.decisions).toEqual([])
    expect((await fetch(`${hub.url}/review/${id}`, { headers: { cookie: `escrow-hub=${stranger}` } })).status).toBe(404)
  })
})

describe('a submission', () => {
  it('shows only contents that the digests of its changes name', async () => {
    const hub = await serveTrial()
    const host = await hub.token('laptop', 'host')
    const uploaded = await uploadContent(hub, host, 'a.txt', 'harmless\n')
    const disguised = Object.assign({}, uploaded, { after: digest('harmful\n') })
    expect(await submit(hub, host, [disguised])).toMatchObject({ status: 400, body: { error: { code: 'invalid' } } })
    expect((await submit(hub, host, [Object.assign({}, uploaded, { before: digest('x') })])).status).toBe(400)
  })

  it("of another host's session is refused, also before that host opens it", async () => {
    const hub = await serveTrial()
    const desk = await hub.token('desk', 'host')
    expect(await call(hub, desk, '/v1/sessions/laptop.agent-1/open', {})).toMatchObject({ status: 403 })
    const message = { session: 'laptop.agent-1', epoch: 1, digest: 'd', revision: 9, changes: [] }
    expect(await call(hub, desk, '/v1/submissions', message)).toMatchObject({ status: 403 })
  })

  it('with an epoch that has ended is refused', async () => {
    const hub = await serveTrial()
    const laptop = await hub.token('laptop', 'host')
    await submit(hub, laptop, [])
    await call(hub, laptop, '/v1/sessions/laptop.agent-1/open', {})
    const message = { session: 'laptop.agent-1', epoch: 1, digest: 'd', revision: 9, changes: [] }
    const { status, body } = await call(hub, laptop, '/v1/submissions', message)
    expect([status, body.error.code]).toEqual([409, 'fenced'])
  })

  it.each(['../a', '/a', 'a//b', './a', 'a/', 'a\0'])('of the path %j is refused', async (path) => {
    const hub = await serveTrial()
    const host = await hub.token('laptop', 'host')
    expect((await submit(hub, host, [createChange(path)])).status).toBe(400)
    const moved = Object.assign(createChange('a'), { kind: 'rename' as const, from: path })
    expect((await submit(hub, host, [moved])).status).toBe(400)
  })

  it.each(['{', '[]', '{"session":1}'])('%s is refused as malformed', async (body) => {
    const hub = await serveTrial()
    const token = await hub.token('laptop', 'host')
    const response = await fetch(`${hub.url}/v1/submissions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body,
    })
    expect(response.status).toBe(400)
    expect(hub.errors).toEqual([])
  })

  it('of more than 8 MiB is refused', async () => {
    const hub = await serveTrial()
    const token = await hub.token('laptop', 'host')
    const big = Buffer.alloc(8 * 1024 * 1024 + 1)
    const response = await fetch(`${hub.url}/v1/contents/${digest(big)}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}` },
      body: big,
    })
    expect(response.status).toBe(413)
  })
})

it('a request for decisions waits for one', async () => {
  const hub = await serveTrial()
  const [host, reviewer] = [await hub.token('laptop', 'host'), await hub.token('Ada', 'reviewer')]
  const change = await uploadContent(hub, host, 'a.txt', 'hello\n')
  const { id } = (await submit(hub, host, [change])).body
  const { next } = (await call(hub, host, '/v1/decisions')).body
  let isAnswered = false
  const waiting = call(hub, host, `/v1/decisions?since=${next}&wait=30`).finally(() => {
    isAnswered = true
  })
  // Requests of the same kind that do not wait: each would be answered after one that was sent before it.
  for (let count = 0; count < 3; count++)
    expect((await call(hub, host, `/v1/decisions?since=${next}`)).body.decisions).toEqual([])
  expect(isAnswered).toBe(false)
  const decision = { keys: [changeKey(change)], verdict: 'approved' }
  expect((await call(hub, reviewer, `/v1/queue/${id}/decisions`, decision)).status).toBe(204)
  expect((await waiting).body.decisions).toMatchObject([{ path: 'a.txt', verdict: 'approved', reviewer: 'Ada' }])
})

it('an admin reads the audit, a chain of every decision', async () => {
  const hub = await serveTrial()
  const [host, reviewer, admin] = [
    await hub.token('laptop', 'host'),
    await hub.token('Ada', 'reviewer'),
    await hub.token('Root', 'admin'),
  ]
  const change = await uploadContent(hub, host, 'a.txt', 'hello\n')
  const { id } = (await submit(hub, host, [change])).body
  const decision = { keys: [changeKey(change)], verdict: 'rejected', reason: 'Say why.' }
  expect((await call(hub, reviewer, `/v1/queue/${id}/decisions`, decision)).status).toBe(204)
  const [line] = (await call(hub, admin, '/v1/audit')).body
  expect(JSON.parse(line.line)).toMatchObject({
    prev: null,
    record: { act: 'rejected', by: 'Ada', path: 'a.txt', reason: 'Say why.' },
  })
  expect((await call(hub, reviewer, '/v1/audit')).status).toBe(403)
})

describe('the pages', () => {
  const signIn = async (hub: Hub, token: string, origin = hub.url) =>
    fetch(`${hub.url}/login`, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ token }),
    })

  it('ask for a token, and keep it in a cookie that scripts and other sites do not get', async () => {
    const hub = await serveTrial()
    expect((await fetch(hub.url)).status).toBe(401)
    expect((await signIn(hub, 'wrong')).status).toBe(401)
    const token = await hub.token('Ada', 'reviewer')
    expect((await signIn(hub, token, 'http://evil.example')).status).toBe(403)
    const response = await signIn(hub, token)
    expect([response.status, response.headers.get('location')]).toEqual([303, '/'])
    expect(response.headers.get('set-cookie')).toBe(`escrow-hub=${token}; Path=/; HttpOnly; SameSite=Strict`)
  })

  it('show a diff with everything escaped, and record a decision by file', async () => {
    const hub = await serveTrial()
    const [host, reviewer] = [await hub.token('laptop', 'host'), await hub.token('Ada', 'reviewer')]
    const changes = [
      await uploadContent(hub, host, 'a<b>.html', '<script>alert(1)</script>\n\u202etxt.exe\n'),
      await uploadContent(hub, host, 'b.txt', 'b\n'),
      createChange('big.bin', { shown: undefined }),
    ]
    const { id } = (await submit(hub, host, changes)).body
    const headers = { cookie: `escrow-hub=${reviewer}` }
    const queue = await (await fetch(hub.url, { headers })).text()
    expect(queue).toContain(`<a href="/review/${id}">laptop.agent-1</a>`)
    const page = await (await fetch(`${hub.url}/review/${id}`, { headers })).text()
    expect(page).toContain('+&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(page).toContain('a&lt;b&gt;.html')
    expect(page).not.toMatch(/<script|\u202e/)
    expect(page.match(/type="checkbox"/g)).toHaveLength(2)
    const decide = (origin: string, decider = 'Ada') =>
      fetch(`${hub.url}/review/${id}`, {
        method: 'POST',
        redirect: 'manual',
        headers: Object.assign({ origin, 'content-type': 'application/x-www-form-urlencoded' }, headers),
        body: new URLSearchParams({ key: changeKey(changes[1] ?? createChange('')), verdict: 'approved', decider }),
      })
    expect((await decide('http://evil.example')).status).toBe(403)
    expect((await decide('null')).status).toBe(403)
    expect((await decide(hub.url, 'Bo')).status).toBe(403)
    expect((await decide(hub.url, '')).status).toBe(403)
    expect((await call(hub, host, '/v1/decisions')).body.decisions).toEqual([])
    expect((await decide(hub.url)).status).toBe(303)
    expect((await call(hub, host, '/v1/decisions')).body.decisions).toMatchObject([
      { path: 'b.txt', verdict: 'approved' },
    ])
    expect(hub.errors).toEqual([])
  })
})

it('metrics name routes and no tenant', async () => {
  const hub = await serveTrial()
  const host = await hub.token('laptop', 'host')
  await submit(hub, host, [])
  const metrics = await (await fetch(`${hub.url}/metrics`)).text()
  expect(metrics).toContain('escrow_hub_requests_total{method="POST",route="/v1/sessions/:id/open",status="200"} 1')
  expect(metrics).not.toMatch(new RegExp(`${hub.scope.tenant}|laptop`))
  expect(await (await fetch(`${hub.url}/healthz`)).text()).toBe('ok\n')
})
