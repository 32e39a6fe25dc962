import { expect, it } from 'vitest'
import { startSession, testWorkspace } from '../support/workspace.js'
import { escrowAt } from './real.js'

it('names a session that already stages the same undo', async () => {
  const project = testWorkspace()
  const workspace = await project.open()
  const session = await startSession(workspace)
  session.fs.writeFileSync('src/a.ts', 'two\n')
  const review = await workspace.review(session.id)
  await review.approve(undefined, { name: 'Ann' })
  await review.commit()
  await workspace.close()
  const undo = () => escrowAt(project.root, ['undo', '1'])
  expect(await undo()).toMatchObject({ code: 0, err: '' })
  const second = await undo()
  expect(second.out).toContain("staged in session 'undo-1-2'")
  expect(second.err).toBe("Session 'undo-1' already stages the same changes.\n")
  for (const id of ['undo-1', 'undo-1-2'])
    expect(await escrowAt(project.root, ['discard', id, '**'])).toMatchObject({ code: 0 })
  expect(await undo()).toMatchObject({ code: 0, err: '' })
})
