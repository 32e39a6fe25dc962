import { writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { startSession, testWorkspace } from '../support/workspace.js'
import { escrowAt } from './real.js'

it('approve names the command that merges what changed on disk', async () => {
  const project = testWorkspace({ 'src/a.ts': 'a\n' })
  const workspace = await project.open()
  const session = await startSession(workspace)
  session.fs.writeFileSync('src/a.ts', 'staged\n')
  await workspace.close()
  writeFileSync(`${project.root}/src/a.ts`, 'mine\n')
  const { code, err } = await escrowAt(project.root, ['approve', session.id, '--by', 'Ada'])
  expect([code, err]).toEqual([
    1,
    expect.stringContaining(`\n'escrow commit ${session.id} --merge' merges what changed`),
  ])
})
