import { describe, expect, it } from 'vitest'
import { removeSignInGroup, setSignInGroup } from '../../src/hub/sign-in-groups.js'
import { openStores } from '../../src/hub/stores.js'
import { newScope, serveTrial } from '../hub/fixtures.js'
import { Browser } from './browser.js'
import { CLIENT } from './identity-provider.js'
import { type Team, team } from './sign-in-team.js'

/** Goes from the hub's page to the provider, and signs in there. */
async function signIn({ url }: Team, name: string, browser = new Browser(), stopAt?: string) {
  const page = await browser.open(`${url}/sign-in`, { from: url })
  const landing = await browser.open(page.url, {
    from: page.url,
    form: { prompt: 'login', login: name, password: 'any' },
    ...(stopAt === undefined ? {} : { stopAt }),
  })
  return { browser, seen: landing }
}

/** Approves a change by the form of its page. */
async function decide(
  browser: Browser,
  url: string,
  { id, key }: { id: string; key: string },
  from = url,
  page?: { readonly text: string },
) {
  const { text } = page ?? (await browser.open(`${url}/review/${id}`))
  const [, decider = ''] = /name="decider" value="([^"]*)"/.exec(text) ?? []
  return browser.open(`${url}/review/${id}`, { from, form: { key, verdict: 'approved', reason: '', decider } })
}

describe('a sign-in', () => {
  it('leads to the queue, and its decisions have the issuer and subject', async () => {
    const all = await team()
    const { hub, url, provider, database, submit } = all
    expect((await new Browser().open(url)).text).toContain('href="/sign-in"')
    provider.people.set('subject-1', { preferred_username: 'ada', groups: [all.group] })
    const { browser, seen } = await signIn(all, 'subject-1')
    expect([seen.status, seen.url]).toEqual([200, `${url}/`])
    expect(seen.text).toContain('You are ada, reviewer.')
    const change = await submit()
    expect((await decide(browser, url, change)).status).toBe(200)
    expect(await change.decisions()).toMatchObject([{ verdict: 'approved', reviewer: 'ada' }])
    const { ledger } = openStores(database, hub.scope)
    const audit = (await ledger.read('audit', 0)).map(({ line }) => JSON.parse(line).record)
    expect(audit).toMatchObject([{ act: 'group set' }, { by: 'ada', subject: `${provider.issuer} subject-1` }])
    expect(hub.errors).toEqual([])
  })

  it('sets cookies that scripts and other sites do not get, and stores only their hashes', async () => {
    const all = await team()
    const { browser } = await signIn(all, 'ada')
    const cookie = browser.cookie(all.url, 'escrow-hub-session') ?? ''
    expect(cookie).toMatch(/^[\w-]{43}$/)
    expect(browser.cookie(all.url, 'escrow-hub-begun')).toBeUndefined()
    const response = await fetch(`${all.url}/sign-in`, { redirect: 'manual' })
    expect(response.headers.get('set-cookie')).toMatch(/^escrow-hub-begun=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
    const rows = await all.database.transaction((query) =>
      query.rows(
        'select sign_ins::text as row from escrow.sign_ins union all select begun_sign_ins::text from escrow.begun_sign_ins',
      ),
    )
    expect(JSON.stringify(rows)).not.toContain(cookie)
    expect(browser.cookies.get(all.url)?.get('escrow-hub-session')?.isStrict).toBe(true)
  })

  it('requests a code with PKCE, a state and a nonce', async () => {
    const { url } = await team()
    const response = await fetch(`${url}/sign-in`, { redirect: 'manual' })
    const query = new URL(response.headers.get('location') ?? '').searchParams
    expect(Object.fromEntries(query)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      redirect_uri: `${url}/sign-in/callback`,
    })
    for (const name of ['code_challenge', 'state', 'nonce']) expect(query.get(name)).toMatch(/^[\w-]{43}$/)
  })

  it('of a group without access is refused', async () => {
    const all = await team()
    all.provider.people.set('eve', { preferred_username: 'eve', groups: ['everybody'] })
    all.provider.people.set('fay', { preferred_username: 'fay' })
    for (const name of ['eve', 'fay']) {
      const { browser, seen } = await signIn(all, name)
      expect(seen.status).toBe(403)
      expect(seen.text).toContain('None of your groups has access')
      expect(browser.cookie(all.url, 'escrow-hub-session')).toBeUndefined()
    }
  })

  it.each([
    { name: 'no name', claims: {} },
    { name: 'a name with a line end', claims: { preferred_username: 'Ada\nReviewed-by: Bo' } },
    { name: 'a name with a direction mark', claims: { preferred_username: 'ada\u202e' } },
    { name: 'an address that was not verified', claims: { email: 'bo@shop.example' }, claim: 'email' },
  ])('with $name is refused', async ({ claims, claim = 'preferred_username' }) => {
    const all = await team({ ESCROW_HUB_OIDC_NAME_CLAIM: claim })
    all.provider.people.set('eve', Object.assign({ groups: [all.group] }, claims))
    expect((await signIn(all, 'eve')).seen).toMatchObject({
      status: 403,
      text: expect.stringContaining('no valid claim'),
    })
  })

  it('with a verified address uses it as the name', async () => {
    const all = await team({ ESCROW_HUB_OIDC_NAME_CLAIM: 'email' })
    all.provider.people.set('ada', { email: 'ada@shop.example', email_verified: true, groups: [all.group] })
    expect((await signIn(all, 'ada')).seen.text).toContain('You are ada@shop.example, reviewer.')
  })

  it('that failed at the provider gives no access, and the browser can begin again', async () => {
    const all = await team()
    const browser = new Browser()
    const page = await browser.open(`${all.url}/sign-in`)
    const landing = await browser.open(`${page.url}/abort`, { from: page.url })
    expect([landing.status, new URL(landing.url).pathname]).toEqual([403, '/sign-in/callback'])
    expect((await signIn(all, 'ada', browser)).seen.status).toBe(200)
  })
})

describe('a response of the provider', () => {
  const callback = (url: string) => `${url}/sign-in/callback`

  it('is accepted once', async () => {
    const all = await team()
    const browser = new Browser()
    const { seen } = await signIn(all, 'ada', browser, callback(all.url))
    const begun = browser.cookies.get(all.url)?.get('escrow-hub-begun')
    if (begun === undefined) throw new Error('There is no cookie.')
    expect((await browser.open(seen.url, { from: all.provider.issuer })).status).toBe(200)
    browser.cookies.get(all.url)?.clear()
    browser.cookies.get(all.url)?.set('escrow-hub-begun', begun)
    expect(await browser.open(seen.url)).toMatchObject({ status: 403, text: expect.stringContaining('did not begin') })
    expect(browser.cookie(all.url, 'escrow-hub-session')).toBeUndefined()
  })

  it('is refused in another browser, also in one that began a sign-in itself', async () => {
    const all = await team()
    const { seen } = await signIn(all, 'ada', new Browser(), callback(all.url))
    expect((await new Browser().open(seen.url)).status).toBe(403)
    const victim = new Browser()
    await victim.open(`${all.url}/sign-in`)
    expect((await victim.open(seen.url)).status).toBe(403)
    // With the state of the victim, and the code of the attacker.
    const own = new URL((await signIn(all, 'bo', victim, callback(all.url))).seen.url)
    own.searchParams.set('code', new URL(seen.url).searchParams.get('code') ?? '')
    expect((await victim.open(own.href)).status).toBe(403)
    expect(victim.cookie(all.url, 'escrow-hub-session')).toBeUndefined()
  })

  it("with another state does not end the browser's own sign-in", async () => {
    const all = await team()
    const browser = new Browser()
    const { seen } = await signIn(all, 'ada', browser, callback(all.url))
    expect(
      (await browser.open(`${callback(all.url)}?state=another&code=x`, { from: 'http://evil.example' })).status,
    ).toBe(403)
    expect((await browser.open(seen.url, { from: all.provider.issuer })).url).toBe(`${all.url}/`)
  })

  it('that arrived too late is refused', async () => {
    const all = await team()
    const browser = new Browser()
    const { seen } = await signIn(all, 'ada', browser, callback(all.url))
    await all.database.transaction((query) => query.rows('update escrow.begun_sign_ins set until = now()'))
    expect((await browser.open(seen.url)).status).toBe(403)
  })

  const now = Math.floor(Date.now() / 1000)
  it.each([
    ['of another audience', { aud: 'another' }],
    ['of two audiences, for the other', { aud: [CLIENT.id, 'another'], azp: 'another' }],
    ['with another nonce', { nonce: 'another' }],
    ['without a nonce', { nonce: undefined }],
    ['of another issuer', { iss: 'http://127.0.0.1:1' }],
    ['that has expired', { exp: now - 3600, iat: now - 7200 }],
    ['without a subject', { sub: undefined }],
  ])('with an ID token %s is refused', async (_, wrong) => {
    const all = await team()
    all.provider.forge = (claims) => Object.assign(claims, wrong)
    const { browser, seen } = await signIn(all, 'ada')
    expect(seen.status).toBe(403)
    expect(seen.text).toContain('The sign-in failed')
    expect(browser.cookie(all.url, 'escrow-hub-session')).toBeUndefined()
    all.provider.forge = (claims) => claims
    expect((await signIn(all, 'ada')).seen.status).toBe(200)
  })

  it('with an ID token that another key signed is refused', async () => {
    const all = await team()
    all.provider.forge = (claims) => claims
    all.provider.isOtherKey = true
    expect((await signIn(all, 'ada')).seen.status).toBe(403)
  })

  it('cannot send the browser to another site', async () => {
    const all = await team()
    const browser = new Browser()
    const { seen } = await signIn(all, 'ada', browser, callback(all.url))
    const address = `${seen.url}&next=http://evil.example&redirect_uri=http://evil.example`
    const { way } = await browser.open(address, { from: all.provider.issuer })
    expect(way).toEqual([address, `${all.url}/`])
  })
})

describe('a sign-in that', () => {
  it('is an hour old has expired, on the pages and for a decision', async () => {
    const all = await team()
    const { browser } = await signIn(all, 'ada')
    const change = await all.submit()
    const [row] = await all.database.transaction((query) =>
      query.rows(`select bool_and(until <= now() + interval '1 hour') as is_bounded from escrow.sign_ins`),
    )
    expect(row?.is_bounded).toBe(true)
    await all.database.transaction((query) => query.rows(`update escrow.sign_ins set until = now()`))
    expect((await browser.open(all.url)).status).toBe(401)
    expect((await decide(browser, all.url, change)).status).toBe(401)
    expect(await change.decisions()).toEqual([])
  })

  it('lost its group is refused at its next request', async () => {
    const all = await team()
    const { browser } = await signIn(all, 'ada')
    const change = await all.submit()
    await removeSignInGroup(all.database, Object.assign({ name: all.group }, all.hub.scope))
    expect((await decide(browser, all.url, change)).url).toBe(`${all.url}/workspace`)
    expect((await browser.open(all.url)).text).toContain('None of your groups has access')
    expect(await change.decisions()).toEqual([])
  })

  it('has one workspace sees and decides nothing in another, whatever it requests', async () => {
    const [all, other] = [await team(), newScope()]
    const { browser } = await signIn(all, 'ada')
    const change = await all.submit(other)
    expect((await browser.open(`${all.url}/review/${change.id}`)).status).toBe(404)
    const own = await browser.open(`${all.url}/review/${(await all.submit()).id}`)
    expect((await decide(browser, all.url, change, all.url, own)).status).toBe(404)
    const form = { tenant: other.tenant, workspace: other.workspace, role: 'reviewer' }
    expect((await browser.open(`${all.url}/workspace`, { from: all.url, form })).status).toBe(403)
    const admin = { tenant: all.hub.scope.tenant, workspace: all.hub.scope.workspace, role: 'admin' }
    expect((await browser.open(`${all.url}/workspace`, { from: all.url, form: admin })).status).toBe(403)
    expect(await change.decisions()).toEqual([])
  })

  it('has access to two workspaces selects one, and an admin decides nothing', async () => {
    const all = await team()
    const { scope } = all.hub
    const group = Object.assign({ name: `admins of ${scope.tenant}`, role: 'admin' as const, teams: [] }, scope)
    await setSignInGroup(all.database, group)
    all.provider.people.set('ada', { preferred_username: 'ada', groups: [all.group, group.name] })
    const { browser, seen } = await signIn(all, 'ada')
    expect(seen.url).toBe(`${all.url}/workspace`)
    const change = await all.submit()
    const choose = (role: string, from = all.url) =>
      browser.open(`${all.url}/workspace`, { from, form: { role, tenant: scope.tenant, workspace: scope.workspace } })
    expect((await choose('admin', 'http://evil.example')).status).toBe(403)
    expect((await choose('admin')).text).toContain('You are ada, admin.')
    expect((await decide(browser, all.url, change)).status).toBe(403)
    expect((await choose('reviewer')).text).toContain('You are ada, reviewer.')
    expect((await decide(browser, all.url, change, 'http://evil.example')).status).toBe(403)
    expect(await change.decisions()).toEqual([])
    expect((await decide(browser, all.url, change)).status).toBe(200)
  })

  it('is signed out has ended, in this browser or in all', async () => {
    const all = await team()
    const [one, two] = [(await signIn(all, 'ada')).browser, (await signIn(all, 'ada')).browser]
    const bo = (await signIn(all, 'bo')).browser
    const stolen = new Browser()
    stolen.cookies.set(all.url, new Map(one.cookies.get(all.url)))
    const leave = (browser: Browser, which: string, from = all.url) =>
      browser.open(`${all.url}/sign-out`, { from, form: { which } })
    expect((await leave(one, 'all', 'http://evil.example')).status).toBe(403)
    await leave(one, 'this')
    expect([(await one.open(all.url)).status, (await stolen.open(all.url)).status]).toEqual([401, 401])
    expect((await two.open(all.url)).status).toBe(200)
    const three = (await signIn(all, 'ada')).browser
    await leave(three, 'all')
    expect((await two.open(all.url)).status).toBe(401)
    expect((await bo.open(all.url)).status).toBe(200)
  })

  it('is of another issuer, or on a hub without a provider, is invalid', async () => {
    const all = await team()
    const { browser } = await signIn(all, 'ada')
    const cookie = `escrow-hub-session=${browser.cookie(all.url, 'escrow-hub-session')}`
    const plain = await serveTrial()
    expect((await fetch(plain.url, { headers: { cookie } })).status).toBe(401)
    const other = await team()
    expect((await fetch(other.url, { headers: { cookie } })).status).toBe(401)
    expect((await fetch(`${all.url}/v1/queue`, { headers: { cookie } })).status).toBe(401)
  })
})

it('the team of a group approves as owner, and a name or a claim that resembles a team does not', async () => {
  const all = await team()
  const { scope } = all.hub
  await openStores(all.database, scope).rules.set({ approvals: 1, codeowners: '* @shop/docs\n', teams: {} }, 'Root')
  const plain = Object.assign({ name: `plain ${scope.tenant}`, role: 'reviewer' as const, teams: [] }, scope)
  await setSignInGroup(all.database, plain)
  all.provider.people.set('eve', { preferred_username: '@shop/docs', groups: [plain.name, '@shop/docs'] })
  const change = await all.submit()
  await decide((await signIn(all, 'eve')).browser, all.url, change)
  expect(await change.decisions()).toEqual([])
  await decide((await signIn(all, 'ada')).browser, all.url, change)
  expect(await change.decisions()).toMatchObject([{ verdict: 'approved', reviewer: 'ada' }])
})

it('a person with a sign-in and a token of another name counts as one person', async () => {
  const all = await team()
  const { scope } = all.hub
  await openStores(all.database, scope).rules.set({ approvals: 2, codeowners: null, teams: {} }, 'Root')
  const change = await all.submit()
  const token = await all.hub.token('lovelace', 'reviewer')
  await decide((await signIn(all, 'ada')).browser, all.url, change)
  const voted = await fetch(`${all.url}/v1/queue/${change.id}/decisions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ keys: [change.key], verdict: 'approved' }),
  })
  expect(voted.status).toBe(204)
  expect(await change.decisions()).toEqual([])
  await decide((await signIn(all, 'bo')).browser, all.url, change)
  expect(await change.decisions()).toMatchObject([{ verdict: 'approved', reviewer: 'bo' }])
})
