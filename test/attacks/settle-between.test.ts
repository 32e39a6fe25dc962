import { expect, it } from 'vitest'
import type { Session } from '../../src/core/api.js'
import { startSession, type TestWorkspace, testWorkspace } from '../support/workspace.js'

/** Changes that an agent makes between the snapshot of a commit and its end are new work on top of the committed files. */

const stageFiles = (fs: Session['fs']) => {
  fs.writeFileSync('src/made.ts', 'made\n')
  fs.writeFileSync('src/a.ts', 'edited\n')
}

/** Commits the staged files, and acts while the commit runs. */
async function actDuringCommit(
  act: (fs: Session['fs']) => void,
): Promise<{ project: TestWorkspace; changes: unknown[]; names: string[] }> {
  const project = testWorkspace()
  const workspace = await project.open()
  const agent = await startSession(workspace)
  stageFiles(agent.fs)
  const review = await workspace.review('agent')
  await review.approve(undefined, { name: 'Ann' })
  let isActing = true
  await review.commit({
    onProgress: ({ phase, files, total }) => {
      if (phase !== 'staging' || files < total || !isActing) return
      isActing = false
      act(agent.fs)
    },
  })
  const { changes } = await agent.changes()
  const names = agent.fs.readdirSync('src')
  return { project, changes: changes.map(({ kind, path, from, intentId }) => [kind, from ?? path, intentId]), names }
}

it.each([
  ['a new file, removed', (fs: Session['fs']) => fs.unlinkSync('src/made.ts'), [['delete', 'src/made.ts', 'INT-001']]],
  ['an old file, removed', (fs: Session['fs']) => fs.unlinkSync('src/a.ts'), [['delete', 'src/a.ts', 'INT-001']]],
  [
    'a new file, renamed',
    (fs: Session['fs']) => fs.renameSync('src/made.ts', 'src/named.ts'),
    [
      ['create', 'src/named.ts', 'INT-001'],
      ['delete', 'src/made.ts', 'INT-001'],
    ],
  ],
  [
    'a new file, written again',
    (fs: Session['fs']) => fs.writeFileSync('src/made.ts', 'again\n'),
    [['modify', 'src/made.ts', 'INT-001']],
  ],
])('%s, still needs a review', async (_name, act, expected) => {
  const { project, changes, names } = await actDuringCommit(act)
  expect([...changes].sort()).toEqual([...expected].sort())
  expect(project.text('src/made.ts')).toBe('made\n')
  expect(names.includes('made.ts')).toBe(expected[0]?.[0] === 'modify' || expected[0]?.[1] === 'src/a.ts')
})

it('a change that the agent reverts does not count as a removal', async () => {
  const project = testWorkspace()
  const workspace = await project.open()
  const agent = await startSession(workspace)
  stageFiles(agent.fs)
  const review = await workspace.review('agent')
  await review.approve(undefined, { name: 'Ann' })
  const reverted: Promise<void>[] = []
  await review.commit({
    onProgress: ({ phase, files, total }) => {
      if (phase === 'staging' && files === total && reverted.length === 0) reverted.push(agent.revert(['src/made.ts']))
    },
  })
  await Promise.all(reverted)
  expect((await agent.changes()).changes).toEqual([])
  expect(agent.fs.readFileSync('src/made.ts', 'utf8')).toBe('made\n')
})
