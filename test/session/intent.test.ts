import { describe, expect, it } from 'vitest'
import { type Scene, scene } from '../attacks/kit.js'
import { failure } from '../support/workspace.js'

const NAMED = `active_intent_id: A-1 # now
intents:
  - {id: A-1, title: One, status: PENDING, scope: {paths: [src/**]}}
  - {id: A-2, title: Two, scope: {paths: [lib/**]}}
`
const startScene = async (s: Scene, id = 'one') => (await s.open()).session({ id })

describe('a session with an active intent in the registry', () => {
  it('starts with that intent selected', async () => {
    const s = scene({}, NAMED)
    const workspace = await s.open()
    const session = await workspace.session({ id: 'one' })
    expect(session.intent).toMatchObject({ id: 'A-1', status: 'IN_PROGRESS' })
    session.fs.mkdirSync('src')
    session.fs.writeFileSync('src/a.ts', 'x')
    expect((await failure(() => session.fs.writeFileSync('lib/a.ts', 'x'))).reason).toBe('scope_violation')
    expect(s.read('.orchestration/active_intents.yaml')).toBe(NAMED.replace('PENDING', 'IN_PROGRESS'))
    expect(await workspace.intents.history('A-1')).toMatchObject([
      { status: { from: 'PENDING', to: 'IN_PROGRESS' }, session: 'one' },
    ])
  })

  it('can select another intent or none, and ignores later changes of the file', async () => {
    const s = scene({}, NAMED)
    const workspace = await s.open()
    const session = await workspace.session({ id: 'one' })
    await session.selectIntent('A-2')
    await workspace.intents.select('A-1')
    expect(session.intent?.id).toBe('A-2')
    await session.selectIntent(null)
    expect(session.intent).toBeUndefined()
    await workspace.intents.select('A-2')
    expect(session.intent).toBeUndefined()
    expect((await failure(() => session.fs.writeFileSync('src/a.ts', 'x'))).reason).toBe('missing_intent_id')
    await session.close()
    expect((await startScene(s)).intent?.id).toBe('A-2')
  })

  it.each([
    ['is completed', NAMED.replace('PENDING', 'COMPLETED'), 'A-1 is COMPLETED'],
    ['is not declared', NAMED.replace('id: A-1,', 'id: A-3,'), 'A-1 is not declared'],
    ['waits', NAMED.replace('PENDING', 'DRAFT, depends_on: [A-2]'), 'A-1 depends on A-2, which is PENDING'],
  ])('starts under none if that one %s, and the refusal says why', async (_, text, reason) => {
    const s = scene({}, text)
    const session = await startScene(s)
    expect(session.intent).toBeUndefined()
    const error = await failure(() => session.fs.writeFileSync('src/a.ts', 'x'))
    expect(error).toMatchObject({ reason: 'missing_intent_id', hint: expect.stringContaining(reason) })
    expect(error.message).toContain('You must cite a valid active Intent ID.')
    expect(s.read('.orchestration/active_intents.yaml')).toBe(text)
  })

  it('starts without an intent if another session holds the scope and claims are refused', async () => {
    const s = scene({ '.orchestration/policy.yaml': 'claims: refuse\n' }, NAMED)
    const first = await startScene(s)
    const second = await startScene(s, 'two')
    expect([first.intent?.id, second.intent]).toEqual(['A-1', undefined])
    expect((await failure(() => second.selectIntent('A-1'))).reason).toBe('claimed')
  })

  it('starts without an intent if the registry names none', async () => {
    const s = scene({}, NAMED.replace('A-1 # now', '""'))
    expect((await startScene(s)).intent).toBeUndefined()
  })
})
