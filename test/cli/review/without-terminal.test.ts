import { expect, it } from 'vitest'
import { startSession, testWorkspace } from '../../support/workspace.js'
import { escrowAt } from '../real.js'

it('without a terminal names the other commands for a session, and answers an unknown one as `escrow diff` does', async () => {
  const { root, open } = testWorkspace()
  const session = await startSession(await open(), 'agent')
  session.fs.writeFileSync('src/a.ts', 'x\n')
  await session.flush()
  const known = await escrowAt(root, ['review', 'agent'])
  expect(known).toMatchObject({ code: 2, err: expect.stringContaining("'escrow approve agent'") })
  expect(await escrowAt(root, ['review', 'nope'])).toEqual(await escrowAt(root, ['diff', 'nope']))
})
