import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { digest } from '../../overlay/index.js'
import { newId } from '../../src/core/ids.js'
import { changeKey } from '../../src/hub/change-key.js'
import { setRepository } from '../../src/hub/repositories.js'
import { openStores } from '../../src/hub/stores.js'
import { addToken } from '../../src/hub/tokens.js'
import type { Role } from '../../src/hub/types.js'
import { createChange, serveTrial, trialDatabase } from '../hub/fixtures.js'
import { type Browser, openBrowser } from '../support/browser.js'
import { call, submit, uploadContent } from './kit.js'

/** Requests with real ids of another workspace, and names that are designed to harm their readers. */

describe('a token of another workspace of the tenant', () => {
  const twoWorkspaces = async () => {
    const hub = await serveTrial()
    const database = await trialDatabase()
    const other = { tenant: hub.scope.tenant, workspace: newId() }
    const tokenOf = (name: string, role: Role) => addToken(database, Object.assign({ name, role }, other))
    await setRepository(
      database,
      Object.assign({ url: '/x.git', branch: 'main', directory: '', checks: [] }, hub.scope),
    )
    const host = await hub.token('laptop', 'host')
    const change = await uploadContent(hub, host, 'a.txt', 'secret\n')
    const { id } = (await submit(hub, host, [change])).body
    return { hub, host, change, id, tokenOf }
  }

  it.each<Role>(['reviewer', 'admin'])('(%s) finds nothing by the ids of this workspace', async (role) => {
    const { hub, host, change, id, tokenOf } = await twoWorkspaces()
    const claim = { session: 'laptop.agent-1', epoch: 1, path: 'a.txt', milliseconds: 60_000 }
    expect((await call(hub, host, '/v1/claims', claim)).status).toBe(200)
    const [mine] = (await call(hub, host, '/v1/claims')).body
    const stranger = await tokenOf('Ada', role)
    for (const path of [`/v1/queue/${id}`, `/v1/contents/${digest('secret\n')}`, '/v1/ledgers/laptop'])
      expect([path, (await call(hub, stranger, path)).status]).toEqual([path, 404])
    for (const path of ['/v1/queue', '/v1/sessions', '/v1/intents', '/v1/claims', '/v1/landings'])
      expect([path, (await call(hub, stranger, path)).body]).toEqual([path, []])
    const decision = { keys: [changeKey(change)], verdict: 'approved' }
    const refused = role === 'reviewer' ? 404 : 403
    expect((await call(hub, stranger, `/v1/queue/${id}/decisions`, decision)).status).toBe(refused)
    expect((await call(hub, stranger, `/v1/claims/${mine.id}/end`, {})).status).toBe(404)
    expect((await call(hub, host, '/v1/claims')).body).toEqual([mine])
    const page = await fetch(`${hub.url}/review/${id}`, { headers: { cookie: `escrow-hub=${stranger}` } })
    expect([page.status, await page.text()]).toEqual([404, expect.not.stringContaining('a.txt')])
    expect((await call(hub, host, '/v1/decisions')).body.decisions).toEqual([])
  })

  it('(host of the same name) gets no decision and no content, and submits no change of this workspace', async () => {
    const { hub, host, change, id, tokenOf } = await twoWorkspaces()
    const ada = await hub.token('Ada', 'reviewer')
    const decision = { keys: [changeKey(change)], verdict: 'approved' }
    expect((await call(hub, ada, `/v1/queue/${id}/decisions`, decision)).status).toBe(204)
    const stranger = await tokenOf('laptop', 'host')
    expect((await call(hub, stranger, '/v1/decisions')).body).toMatchObject({ decisions: [], landings: [], last: 0 })
    // Only the store of the other workspace has the content.
    expect((await submit(hub, stranger, [change])).body).toMatchObject({ error: { code: 'missing' } })
    expect((await call(hub, host, '/v1/decisions')).body.decisions).toMatchObject([{ path: 'a.txt' }])
    expect((await call(hub, ada, '/v1/landings')).body).toMatchObject([{ state: 'waiting' }])
  })
})

const HARM = '"><img src=x onerror="document.title=1"><script>document.title=2</script>\u202etxt.exe\u200b'
const LONG = 'long'.repeat(900)

describe('the pages in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())

  it('show names that contain HTML, direction characters and very long words as text, and stay as wide as the screen', async () => {
    const hub = await serveTrial()
    const database = await trialDatabase()
    const at = { url: `/srv/${LONG}`, branch: HARM.replaceAll(/[\s"\\]/g, ''), directory: `d/${HARM}`, checks: [] }
    await setRepository(database, Object.assign(at, hub.scope))
    const [host, reviewer] = [await hub.token('laptop', 'host'), await hub.token('Ada', 'reviewer')]
    const intent = { id: HARM.slice(0, 90), name: HARM, scope: [HARM, LONG.slice(0, 450)], criteria: [HARM] }
    const change = Object.assign(await uploadContent(hub, host, `${HARM}/a.txt`, `${HARM}\n${LONG}\n`), {
      facts: [HARM],
    })
    const big = createChange(`${LONG.slice(0, 200)}/b.txt`, { shown: undefined })
    const sent = await submit(hub, host, [change, big], 'laptop.agent-1', { facts: { agent: HARM, intents: [intent] } })
    expect(sent).toMatchObject({ status: 200 })
    const review = `/review/${sent.body.id}`
    const stores = openStores(database, hub.scope)
    const request = { keys: [changeKey(change)], verdict: 'rejected' as const, reason: `${HARM} ${LONG}` }
    await stores.queue.decide(sent.body.id, request, HARM)
    const page = await browser.page(hub.url)
    await page.fill('#token', reviewer)
    await page.click('button')
    for (const path of ['/', review]) {
      await page.goto(`${hub.url}${path}`)
      const state = await page.evaluate(() => ({
        title: document.title,
        text: document.body.textContent ?? '',
        harm: document.querySelectorAll('img, script').length,
        overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      }))
      expect(state.title).toMatch(/^(?:Queue|Review) of /)
      expect(state.harm).toBe(0)
      expect(state.text).toContain('<script>')
      expect(state.text).toContain('<U+202E>')
      expect(state.text).not.toMatch(/[\u202e\u200b]/)
      expect([path, state.overflow]).toEqual([path, 0])
    }
    expect(hub.errors).toEqual([])
  })
})
