import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { claudeHookListener } from '../../src/agents/claude/index.js'
import { EscrowError, openWorkspace } from '../../src/index.js'
import { createApp } from '../../src/web/app.js'
import { buildPageOnce } from '../support/built-page.js'
import { testWorkspace } from '../support/workspace.js'
import { runAgent } from './scene.js'
import { type Answer, send, setUp } from './setup.js'

/** Authentication of every route, and of unknown routes, for every kind of stranger. */

const ROUTES: readonly (readonly [method: string, path: string])[] = [
  ['GET', '/'],
  ['GET', '/index.html'],
  ['GET', '/icon.svg'],
  ['GET', '/assets/nothing.js'],
  ['GET', '/api/state'],
  ['GET', '/api/events'],
  ['GET', '/api/sessions/cents/changes'],
  ['GET', '/api/sessions/cents/file?path=src/cart.ts&mark=x'],
  ['GET', '/api/sessions/cents/rows?path=src/cart.ts&mark=x'],
  ['GET', '/api/sessions/cents/text?path=src/cart.ts&mark=x'],
  ['GET', '/api/sessions/cents/image?path=src/cart.ts&mark=x'],
  ['POST', '/api/sessions/cents/verdicts'],
  ['POST', '/api/sessions/cents/edit'],
  ['POST', '/api/sessions/cents/split'],
  ['POST', '/api/sessions/cents/discard'],
  ['POST', '/api/sessions/cents/questions/q'],
  ['POST', '/api/sessions/cents/commit'],
  ['POST', '/api/undo'],
  ['GET', '/api/ledger'],
  ['GET', '/api/ledger/paths'],
  ['GET', '/api/blame?path=src/cart.ts'],
  ['GET', '/api/stats'],
  ['DELETE', '/api/state'],
  ['GET', '/nowhere'],
  ['POST', '/hooks/claude'],
  ['POST', '/hooks/claude?event=Stop'],
  ['POST', '/hooks/claude/'],
  ['POST', '/hooks/%63laude'],
  ['POST', '/hooks/../hooks/claude'],
]

describe('every route', () => {
  it('answers nobody without the token, under another name, or from another site', async () => {
    const hook = 'h'.repeat(43)
    const mounts = { '/hooks/claude': claudeHookListener({ root: tmpdir(), token: hook }) }
    const { url, token } = await setUp({ mounts })
    const bearer = { authorization: `Bearer ${token}` }
    const strangers: readonly (readonly [number, Record<string, string>])[] = [
      [401, {}],
      [401, { authorization: `Bearer ${token}x` }],
      [401, { authorization: `Bearer ${token.slice(1)}` }],
      [401, { cookie: `escrow-${url.port}=${token}` }],
      [403, { ...bearer, host: 'evil.example' }],
      [403, { ...bearer, host: `evil.example:${url.port}` }],
      [403, { ...bearer, origin: 'http://evil.example' }],
      [403, { ...bearer, origin: 'http://127.0.0.1:1' }],
      [403, { ...bearer, origin: 'null' }],
      [403, { ...bearer, 'sec-fetch-site': 'cross-site' }],
      [403, { ...bearer, 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate' }],
    ]
    const wrong: unknown[] = []
    for (const [method, path] of ROUTES)
      for (const [status, headers] of strangers) {
        const answer = await send(new URL(path, url), method, { 'content-type': 'application/json', ...headers })
        if (answer.status !== status || /cart|cents/.test(answer.text))
          wrong.push([method, path, headers, answer.status])
      }
    expect(wrong).toEqual([])
    const statusOf = async (path: string, method: string, secret: string) =>
      (await send(new URL(path, url), method, { authorization: `Bearer ${secret}` })).status
    expect(await statusOf('/hooks/claude', 'POST', token)).toBe(401)
    expect(await statusOf('/hooks/claude', 'POST', hook)).toBe(200)
    expect(await statusOf('/api/state', 'GET', hook)).toBe(401)
    expect(await statusOf('/api/state', 'GET', token)).toBe(200)
  })

  it('admits a visit with the token, and then by a cookie that no other port gets', async () => {
    const { url } = await setUp()
    const visit = await send(url, 'GET', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' })
    expect(visit.status).toBe(200)
    const [cookie = '', ...attributes] = String(visit.headers['set-cookie']).split('; ')
    const base = /<base href="([^"]+)">/.exec(visit.text)?.[1] ?? ''
    expect(attributes.sort()).toEqual(['HttpOnly', `Path=${base}`, 'SameSite=Strict'])
    expect(base).toMatch(/^\/p\/[\w-]{43}\/$/)
    expect((await send(new URL(`${base}api/state`, url), 'GET', { cookie })).status).toBe(200)
    const decide = (headers: Record<string, string>) =>
      send(
        new URL(`${base}api/undo`, url),
        'POST',
        { cookie, 'content-type': 'application/json', ...headers },
        '{"commit":"x"}',
      )
    expect((await decide({})).status).toBe(403)
    expect((await decide({ origin: url.origin })).status).not.toBe(403)
  })

  it('admits a browser once by a ticket, to the page only', async () => {
    const { served } = await setUp()
    const visit = async (address: string) => (await send(new URL(address), 'GET')).status
    const ticket = served.ticket()
    expect(await visit(ticket.replace('/?', '/api/state?'))).toBe(401)
    expect(await visit(served.ticket().replace('=', '=x'))).toBe(401)
    expect(await visit(ticket)).toBe(401)
    const latest = served.ticket()
    expect([await visit(latest), await visit(latest)]).toEqual([200, 401])
  })

  it('admits nobody by a ticket of more than a minute ago, whatever the clock says', async () => {
    const { served } = await setUp()
    const ticket = served.ticket()
    const [now, wall] = [performance.now(), Date.now()]
    vi.spyOn(performance, 'now').mockReturnValue(now + 61_000)
    vi.spyOn(Date, 'now').mockReturnValue(wall - 3_600_000)
    onTestFinished(() => void vi.restoreAllMocks())
    expect((await send(new URL(ticket), 'GET')).status).toBe(401)
  })

  it('tells a browser without the token how to get a new address, with the same status and headers', async () => {
    const { url, ask } = await setUp()
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
    for (const path of ['/', '/?token=old', '/nowhere']) {
      const refused = await send(new URL(path, url), 'GET', { accept })
      expect(refused.status).toBe(401)
      expect(refused.headers['content-type']).toMatch(/^text\/html/)
      expect(refused.text).toContain('Run <code>escrow review --web</code> again')
      expect(refused.headers['set-cookie']).toBeUndefined()
      const { headers } = await ask('/')
      for (const name of ['content-security-policy', 'cache-control', 'x-frame-options', 'referrer-policy'])
        expect(refused.headers[name]).toBe(headers[name])
    }
    expect((await send(new URL('/?token=old', url), 'GET', { accept: '*/*' })).json()).toMatchObject({
      error: { reason: 'no_token' },
    })
  })

  it('restricts what a browser may do with its responses', async () => {
    const { ask } = await setUp()
    for (const path of ['/', '/api/state', '/nowhere']) {
      const { headers } = await ask(path)
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-origin',
      })
      expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/)
      expect(headers['access-control-allow-origin']).toBeUndefined()
    }
  })
})

describe('paths', () => {
  it('serve only files of the page', async () => {
    const { url, token, ask, project, session, changes } = await setUp()
    const outside = `${project.root}-outside.txt`
    const sibling = basename(outside)
    writeFileSync(outside, 'a secret outside')
    onTestFinished(() => rmSync(outside))
    await runAgent(project.root, session)
    const cart = (await changes()).find(({ path }) => path === 'src/cart.ts')
    const tries = [
      `../${sibling}`,
      `..%2f${sibling}`,
      `%2e%2e/${sibling}`,
      '/etc/passwd',
      `src/../../${sibling}`,
      `..\\${sibling}`,
      'src/cart.ts%00',
      '.orchestration/policy.yaml',
    ]
    const answers: Answer[] = []
    for (const path of tries) {
      const query = `path=${path}&mark=${cart?.mark}`
      for (const route of ['file', 'rows', 'text', 'image'])
        answers.push(await ask(`/api/sessions/cents/${route}?${query}`))
      if (!path.startsWith('.orch')) answers.push(await ask(`/api/blame?path=${path}`))
      answers.push(await ask('/api/sessions/cents/edit', { path, mark: cart?.mark, text: 'x' }))
      answers.push(await ask(`/api/sessions/${encodeURIComponent(path)}/changes`))
      answers.push(await send(url, 'GET', { authorization: `Bearer ${token}` }, undefined, `/${path}`))
      answers.push(await send(url, 'GET', { authorization: `Bearer ${token}` }, undefined, `/assets/${path}`))
    }
    expect(answers.filter(({ status }) => status < 400)).toEqual([])
    expect(answers.filter(({ text }) => /a secret outside|root:/.test(text))).toEqual([])
  })
})

describe('admission to decide', () => {
  it('is checked before each decision, and reads stay possible', async () => {
    const refused = new EscrowError('access_denied', 'Policy wants a person for this.')
    const { ask } = await setUp({
      admit: () => {
        throw refused
      },
    })
    expect((await ask('/api/state')).status).toBe(200)
    for (const path of ['/api/undo', '/api/sessions/cents/commit', '/api/sessions/cents/verdicts']) {
      const answer = await ask(path, {})
      expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('Policy wants a person')])
    }
  })
})

describe('admission to accept files', () => {
  it('is checked in addition to the admission to decide', async () => {
    const { ask } = await setUp({
      admit: (act) => {
        if (act === 'accept') throw new EscrowError('access_denied', 'Only a person accepts.')
      },
    })
    const answer = await ask('/api/trust', { digest: 'sha256:0' })
    expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('Only a person accepts')])
    expect((await ask('/api/undo', { commit: '1' })).text).not.toContain('Only a person accepts')
  })
})

describe('a page that is not built', () => {
  it('is reported at once, with what to do', async () => {
    const workspace = await openWorkspace(testWorkspace().root)
    const options = { workspace, token: 't', port: 1, admit: () => undefined }
    expect(() => createApp({ ...options, page: `${buildPageOnce()}/assets` })).toThrow("Run 'npm run build'")
    await workspace.close()
  })
})
