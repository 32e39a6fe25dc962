import { expect, it } from 'vitest'
import { scene } from '../attacks/kit.js'

it('a repeated denial is recorded twice: the first one, and the number of repetitions', async () => {
  const { at, open, agent } = scene({ 'lib/a.ts': 'x', 'lib/b.ts': 'x' })
  const workspace = await open()
  const session = await agent(workspace)
  const fail = (name: string) => expect(() => session.fs.writeFileSync(at(name), 'y')).toThrow(/Scope Violation/)
  for (let attempt = 0; attempt < 1_000; attempt++) fail('lib/a.ts')
  fail('lib/b.ts')
  await session.flush()
  fail('lib/a.ts')
  await session.flush()
  const denied = []
  for await (const record of workspace.ledger.records()) {
    const metadata = (record.metadata as Record<string, Record<string, unknown>>)['dev.escrowfs']
    if (metadata?.type === 'denied') denied.push([metadata.path, metadata.again])
  }
  expect(denied).toEqual([
    ['lib/a.ts', undefined],
    ['lib/b.ts', undefined],
    ['lib/a.ts', 999],
    ['lib/a.ts', undefined],
  ])
})
