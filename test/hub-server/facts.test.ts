import { describe, expect, it } from 'vitest'
import { EMPTY_DIGEST } from '../../overlay/index.js'
import { SESSION_FACTS } from '../../src/hub/index.js'
import { createChange, serveTrial } from '../hub/fixtures.js'
import { call, type Hub, submit } from './kit.js'

const INTENT = {
  id: 'INT-001',
  name: '<b>Tax</b>\u202e',
  scope: ['src/tax/**'],
  criteria: ['Rounds to cents\nand <i>nothing</i> else', 'run: npm test'],
}
const FACTS = { agent: 'tester:<m>\u0007', intents: [INTENT] }

/** The page of a submission. @param more what the machine sends beyond the changes */
async function pageOf(hub: Hub, changes: Parameters<typeof submit>[2], more: object): Promise<string> {
  const [host, ada] = [await hub.token('laptop', 'host'), await hub.token('Ada', 'reviewer')]
  const { status, body } = await submit(hub, host, changes, 'laptop.agent-1', more)
  expect(status).toBe(200)
  expect((await call(hub, ada, `/v1/queue/${body.id}`)).body.facts).toEqual(
    SESSION_FACTS.optional().parse(Object(more).facts),
  )
  return (await fetch(`${hub.url}/review/${body.id}`, { headers: { cookie: `escrow-hub=${ada}` } })).text()
}

describe('the review page', () => {
  it('shows the facts that a machine sends, escaped and printable', async () => {
    const change = Object.assign(createChange('a', { after: EMPTY_DIGEST }), {
      facts: ['stop: <script>runs at installation\u200b (line 3)'],
    })
    const page = await pageOf(await serveTrial(), [change], { facts: FACTS })
    expect(page).toContain('INT-001: &lt;b&gt;Tax&lt;/b&gt;&lt;U+202E&gt;')
    expect(page).toContain('<li>src/tax/**</li>')
    expect(page).toContain('<li>Rounds to cents^Jand &lt;i&gt;nothing&lt;/i&gt; else</li><li>run: npm test</li>')
    expect(page).toContain('Agent: tester:&lt;m&gt;^G')
    expect(page).toContain('<li>stop: &lt;script&gt;runs at installation&lt;U+200B&gt; (line 3)</li>')
    expect(page).not.toMatch(/<script|<i>|<b>|\u202e|\u200b|\u0007/)
  })

  it('shows none for a machine of an earlier version, which sends none', async () => {
    const page = await pageOf(await serveTrial(), [createChange('a', { after: EMPTY_DIGEST })], {})
    expect(page).not.toMatch(/Agent:|Scope|<li>/)
  })
})

describe('facts', () => {
  const long = 'x'.repeat(501)
  const many = Array.from({ length: 51 }, () => 'x')
  it.each([
    [
      'a long sentence about a change',
      [Object.assign(createChange('a', { after: EMPTY_DIGEST }), { facts: [long] })],
      FACTS,
    ],
    [
      'many sentences about a change',
      [Object.assign(createChange('a', { after: EMPTY_DIGEST }), { facts: many })],
      FACTS,
    ],
    ['a long name', [], { intents: [Object.assign({}, INTENT, { name: long })] }],
    ['a long scope', [], { intents: [Object.assign({}, INTENT, { scope: many })] }],
    ['a long criterion', [], { intents: [Object.assign({}, INTENT, { criteria: [long] })] }],
    ['many intents', [], { intents: Array.from({ length: 21 }, () => INTENT) }],
    ['a long agent', [], { agent: long, intents: [] }],
  ])('over a limit are refused: %s', async (_, changes, facts) => {
    const hub = await serveTrial()
    const host = await hub.token('laptop', 'host')
    expect((await submit(hub, host, changes, 'laptop.agent-1', { facts })).status).toBe(400)
  })
})
