import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { layoutAt } from '../../src/os/workspace-state.js'
import { SessionClaims } from '../../src/session/claims.js'
import { scene } from '../attacks/kit.js'
import { stateOf } from '../support/state.js'

/** Two sessions whose intents share a path: one is warned, or refused. */

const INTENTS = `active_intents:
  - {id: INT-001, name: All, status: IN_PROGRESS, owned_scope: ["src/**"]}
  - {id: INT-002, name: Part, status: DRAFT, owned_scope: ["src/auth/**"]}
  - {id: INT-003, name: Rest, status: DRAFT, owned_scope: ["src/**", "!src/auth/**"]}
`
const REFUSE = { '.orchestration/policy.yaml': 'claims: refuse\n' }

async function records(workspace: Awaited<ReturnType<ReturnType<typeof scene>['open']>>) {
  const all = []
  for await (const record of workspace.ledger.records()) all.push(JSON.stringify(record))
  return all
}

it('warns of an overlap with its path, and records it in the ledger', async () => {
  const { open } = scene({}, INTENTS)
  const workspace = await open()
  const first = await workspace.session({ id: 'first' })
  expect((await first.selectIntent('INT-001')).overlaps).toBeUndefined()
  const second = await workspace.session({ id: 'second' })
  const { overlaps } = await second.selectIntent('INT-002')
  expect(overlaps).toEqual([{ session: 'first', intentId: 'INT-001', path: expect.stringMatching(/^src\/auth/) }])
  expect((await records(workspace)).at(-1)).toContain('"claims":[{"session":"first"')
  await second.selectIntent(null)
  expect((await first.selectIntent('INT-001')).overlaps).toBeUndefined()
})

it('finds no overlap if a `!` pattern separates the scopes', async () => {
  const { open } = scene(REFUSE, INTENTS)
  const workspace = await open()
  const [first, second] = [await workspace.session({ id: 'first' }), await workspace.session({ id: 'second' })]
  await first.selectIntent('INT-002')
  expect((await second.selectIntent('INT-003')).overlaps).toBeUndefined()
})

it('refuses the second session until the first is closed, with claims: refuse', async () => {
  const { open, root } = scene(REFUSE, INTENTS)
  const workspace = await open()
  const [first, second] = [await workspace.session({ id: 'first' }), await workspace.session({ id: 'second' })]
  await first.selectIntent('INT-001')
  const refused = {
    reason: 'claimed',
    message: expect.stringMatching(/session first works on INT-001, which owns src\/auth/),
  }
  await expect(second.selectIntent('INT-002')).rejects.toMatchObject(refused)
  expect(second.intent).toBeUndefined()
  expect((await workspace.intents.get('INT-002'))?.status).toBe('DRAFT')
  await second.flush()
  expect((await records(workspace)).at(-1)).toContain('"claimed"')
  await first.close()
  expect(existsSync(`${stateOf(root)}/sessions/first/claim.json`)).toBe(false)
  expect((await second.selectIntent('INT-002')).overlaps).toBeUndefined()
})

it('grants a scope to one of two concurrent sessions', async () => {
  const { open } = scene(REFUSE, INTENTS)
  const workspace = await open()
  const sessions = [await workspace.session({ id: 'a' }), await workspace.session({ id: 'b' })]
  const results = await Promise.allSettled(sessions.map((session) => session.selectIntent('INT-001')))
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})

it('does not claim a scope once another process has taken the lock', async () => {
  const { open, root } = scene(REFUSE, INTENTS)
  const workspace = await open()
  const session = await workspace.session({ id: 'late' })
  await session.selectIntent('INT-002')
  const layout = layoutAt(root)
  const intent = await workspace.intents.get('INT-001')
  const late = {
    ...intent,
    // Another process takes over while this one is stopped between reading and writing.
    get id() {
      writeFileSync(`${layout.locks}/claims.holder`, JSON.stringify({ nonce: 'other' }))
      return 'INT-001'
    },
  }
  const claims = new SessionClaims(layout, 'late', () => ({ ok: true, version: 0, intents: new Map() }))
  await expect(claims.acquire(late as never, 'refuse')).rejects.toMatchObject({ reason: 'session_busy' })
  expect(readFileSync(`${stateOf(root)}/sessions/late/claim.json`, 'utf8')).toBe('{"intent":"INT-002"}')
})

it('ignores damaged claims and claims of dead processes', async () => {
  const { open, root, agent } = scene(REFUSE, INTENTS)
  const workspace = await open()
  const dir = `${stateOf(root)}/sessions`
  mkdirSync(`${dir}/dead`, { recursive: true })
  writeFileSync(`${dir}/dead/claim.json`, '{"intent":"INT-001"}')
  await workspace.session({ id: 'odd' })
  writeFileSync(`${dir}/odd/claim.json`, '{"inte')
  const session = await agent(workspace)
  expect(session.intent?.id).toBe('INT-001')
})
