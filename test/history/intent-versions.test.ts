import { describe, expect, it } from 'vitest'
import type { Workspace } from '../../src/index.js'
import { type Scene, scene } from '../attacks/kit.js'
import { trust } from '../support/trust.js'
import { metadataOf, recordsOf } from '../support/workspace.js'

const INTENTS = `active_intents:
  - {id: INT-001, name: First, status: PENDING, owned_scope: ["src/**"]}
  - {id: INT-002, name: Second, status: DRAFT, owned_scope: ["lib/**"]}
`
const ADA = { name: 'Ada' }

it('the ledger records each change of an intent: who, why, and what', async () => {
  const { open } = scene({}, INTENTS)
  const workspace = await open()
  const session = await workspace.session({ id: 'one' })
  await session.selectIntent('INT-001')
  await workspace.intents.expandScope('INT-001', ['docs/**', 'src/**'], ADA, 'The guide goes with it.')
  await workspace.intents.expandScope('INT-001', ['docs/**'], ADA)
  const request = await session.requestScope(['test/**'], 'The tests go with it.')
  await (await workspace.review('one')).answer(request.id, { answer: 'allow', by: ADA })
  await workspace.intents.complete('INT-001', ADA, 'Done.')
  await workspace.intents.select('INT-002', ADA)
  expect(await workspace.intents.history('INT-001')).toMatchObject([
    { status: { from: 'PENDING', to: 'IN_PROGRESS' }, session: 'one' },
    { added: ['docs/**'], by: 'Ada', why: 'The guide goes with it.' },
    { added: ['test/**'], by: 'Ada', session: 'one', why: 'The tests go with it.' },
    { status: { from: 'IN_PROGRESS', to: 'COMPLETED' }, by: 'Ada', why: 'Done.' },
  ])
  expect(await workspace.intents.history('INT-002')).toMatchObject([{ status: { from: 'DRAFT', to: 'IN_PROGRESS' } }])
  expect((await workspace.ledger.verify()).ok).toBe(true)
})

it('selecting an intent in progress does not change it', async () => {
  const { open } = scene({}, INTENTS)
  const workspace = await open()
  const session = await workspace.session({ id: 'one' })
  await session.selectIntent('INT-001')
  await session.selectIntent('INT-001')
  expect(await workspace.intents.history('INT-001')).toHaveLength(1)
})

const versionsOf = async (workspace: Workspace, id = 'INT-001') =>
  (await workspace.intents.history(id)).map(({ at: _, ...rest }) => rest)

it('changes of scope and status are versions, and other changes are not', async () => {
  const workspace = await scene({}, INTENTS).open()
  await workspace.intents.add({ name: 'Third', from: 'tests' }, ADA, 'Too few of them.')
  await workspace.intents.edit('INT-003', { removeScope: ['tests/**'], status: 'BLOCKED' }, ADA)
  await workspace.intents.edit('INT-003', { constraints: ['Quick'], name: 'Tests' }, ADA)
  expect(await versionsOf(workspace, 'INT-003')).toEqual([
    { created: true, added: ['test/**', 'tests/**', '**/*.{test,spec}.*'], by: 'Ada', why: 'Too few of them.' },
    { status: { from: 'PENDING', to: 'BLOCKED' }, removed: ['tests/**'], by: 'Ada' },
  ])
})

describe('a manual edit', () => {
  const byHand = (s: Scene, was: string, is: string) =>
    s.write('.orchestration/active_intents.yaml', s.read('.orchestration/active_intents.yaml').replace(was, is))

  it('becomes one version once any process notices it', async () => {
    const s = scene({}, INTENTS)
    const first = await s.open()
    await s.agent(first)
    byHand(s, 'src/**', 'source/**')
    const others = await Promise.all([s.open(), s.open(), s.open()])
    await Promise.all([first, ...others].map((each) => each.intents.history('INT-001')))
    expect(await versionsOf(first)).toEqual([
      { status: { from: 'PENDING', to: 'IN_PROGRESS' }, session: 'one' },
      { added: ['source/**'], removed: ['src/**'], byHand: true },
    ])
    expect(await versionsOf(await s.open())).toHaveLength(2)
    expect((await first.ledger.verify()).ok).toBe(true)
  })

  it('is recorded before the next edit, and before a commit', async () => {
    const s = scene({ 'src/a.ts': 'a\n' }, INTENTS)
    const workspace = await s.open()
    const session = await s.agent(workspace)
    session.fs.writeFileSync('src/a.ts', 'b\n')
    await session.flush()
    byHand(s, '"src/**"', '"src/**", "more/**"')
    await s.release('one')
    byHand(s, 'IN_PROGRESS', 'BLOCKED')
    await workspace.intents.complete('INT-001', ADA)
    expect((await versionsOf(workspace)).slice(1)).toEqual([
      { added: ['more/**'], byHand: true },
      { status: { from: 'IN_PROGRESS', to: 'BLOCKED' }, byHand: true },
      { status: { from: 'BLOCKED', to: 'COMPLETED' }, by: 'Ada' },
    ])
    const types = (await recordsOf(workspace)).map((record) => metadataOf(record).type)
    expect(types.indexOf('scope_changed')).toBeLessThan(types.indexOf('commit'))
  })

  it('is recorded for a removed intent, and for one that returns', async () => {
    const s = scene({}, INTENTS)
    const workspace = await s.open()
    await workspace.intents.edit('INT-002', { addScope: ['x'] }, ADA)
    const text = s.read('.orchestration/active_intents.yaml')
    s.write('.orchestration/active_intents.yaml', 'active_intents: []\n')
    await workspace.intents.history('INT-002')
    s.write('.orchestration/active_intents.yaml', text)
    expect((await versionsOf(workspace, 'INT-002')).slice(1)).toEqual([
      { deleted: true, byHand: true },
      { created: true, added: ['lib/**', 'x'], byHand: true },
    ])
  })

  it('of an unused intent is part of its declaration', async () => {
    const s = scene({}, INTENTS)
    const workspace = await s.open()
    byHand(s, 'DRAFT', 'PENDING')
    await workspace.intents.select('INT-001', ADA)
    expect(await versionsOf(workspace, 'INT-002')).toEqual([])
  })
})

describe('editing the whole file', () => {
  it('records each change, and refuses an invalid file', async () => {
    const s = scene({}, INTENTS)
    const workspace = await s.open()
    const text = `${INTENTS.replace('DRAFT', 'BLOCKED')}  - {id: INT-009, name: New, owned_scope: [n]} # new\n`
    await workspace.intents.editFile(async () => text, ADA, 'By editor.')
    expect(s.read('.orchestration/active_intents.yaml')).toBe(text)
    expect(await versionsOf(workspace, 'INT-009')).toEqual([
      { created: true, added: ['n'], by: 'Ada', why: 'By editor.' },
    ])
    expect(await versionsOf(workspace, 'INT-002')).toEqual([
      { status: { from: 'DRAFT', to: 'BLOCKED' }, by: 'Ada', why: 'By editor.' },
    ])
    const broken = workspace.intents.editFile(async (text) => `${text}  - nothing\n`, ADA)
    await expect(broken).rejects.toMatchObject({ reason: 'policy_invalid', message: expect.stringContaining('line 5') })
    expect(s.read('.orchestration/active_intents.yaml')).toBe(text)
  })

  it("does not overwrite another program's edit", async () => {
    const s = scene({}, INTENTS)
    const workspace = await s.open()
    const editing = workspace.intents.editFile(async (text) => {
      await (await s.open()).intents.complete('INT-002', ADA)
      return text.replace('PENDING', 'BLOCKED')
    }, ADA)
    await expect(editing).rejects.toMatchObject({ reason: 'stale_file' })
    expect(await workspace.intents.list()).toMatchObject([{ status: 'PENDING' }, { status: 'COMPLETED' }])
  })

  it('repairs a broken file, which a person then accepts', async () => {
    const s = scene({}, INTENTS)
    const workspace = await s.open()
    await workspace.intents.complete('INT-001', ADA)
    s.write('.orchestration/active_intents.yaml', `${INTENTS}  - nothing\n`)
    expect(await workspace.intents.editFile(async () => INTENTS, ADA)).toMatchObject([
      { id: 'INT-001', status: 'COMPLETED' },
      { id: 'INT-002' },
    ])
    trust(s.root)
    expect(await workspace.intents.get('INT-001')).toMatchObject({ status: 'PENDING' })
    expect((await versionsOf(workspace)).slice(1)).toMatchObject([{ status: { from: 'COMPLETED', to: 'PENDING' } }])
    expect(await versionsOf(workspace, 'INT-002')).toEqual([])
  })
})

it('loses neither of two concurrent edits', async () => {
  const s = scene({}, INTENTS)
  const [one, two] = [await s.open(), await s.open()]
  await Promise.all([
    one.intents.select('INT-002', ADA),
    two.intents.complete('INT-001', ADA),
    one.intents.expandScope('INT-001', ['x'], ADA),
    two.intents.expandScope('INT-001', ['y'], ADA),
  ])
  expect(await one.intents.list()).toMatchObject([{ status: 'COMPLETED' }, { status: 'IN_PROGRESS' }])
  expect([...((await two.intents.get('INT-001'))?.ownedScope ?? [])].sort()).toEqual(['src/**', 'x', 'y'])
  expect(await versionsOf(one)).toHaveLength(3)
  expect((await versionsOf(one)).some((each) => 'byHand' in each)).toBe(false)
})
