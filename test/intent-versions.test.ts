import { expect, it } from 'vitest'
import { scene } from './attacks/kit.js'

const INTENTS = `active_intents:
  - {id: INT-001, name: First, status: PENDING, owned_scope: ["src/**"]}
  - {id: INT-002, name: Second, status: DRAFT, owned_scope: ["lib/**"]}
`
const ADA = { name: 'Ada' }

it('each change of an intent is in the ledger: who, why, and what', async () => {
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

it('selecting an intent that is in progress is no change of it', async () => {
  const { open } = scene({}, INTENTS)
  const workspace = await open()
  const session = await workspace.session({ id: 'one' })
  await session.selectIntent('INT-001')
  await session.selectIntent('INT-001')
  expect(await workspace.intents.history('INT-001')).toHaveLength(1)
})
