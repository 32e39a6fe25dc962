import { chmodSync, lstatSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Session } from '../../src/core/api.js'
import { failure, startSession, type TestWorkspace, testWorkspace } from '../support/workspace.js'

const ANN = { name: 'Ann' }
const mode = (project: TestWorkspace, path: string) => (lstatSync(`${project.root}/${path}`).mode & 0o7777).toString(8)

/** An agent works, then a person changes the mode of `src/a.ts` on disk, and approves. */
async function commitWithRace(work: (fs: Session['fs']) => void, mode: number) {
  const project = testWorkspace()
  const workspace = await project.open()
  const agent = await startSession(workspace)
  work(agent.fs)
  chmodSync(`${project.root}/src/a.ts`, mode)
  const review = await workspace.review('agent')
  await review.approve(undefined, ANN)
  return { project, agent, workspace, review }
}

describe('a mode that a person set on disk meanwhile', () => {
  it('is kept if the agent wrote the file and did not change its mode', async () => {
    const { project, agent, workspace, review } = await commitWithRace(
      (fs) => fs.writeFileSync('src/a.ts', 'new'),
      0o755,
    )
    const { id } = await review.commit()
    expect([project.text('src/a.ts'), mode(project, 'src/a.ts')]).toEqual(['new', '755'])
    expect((await agent.changes()).changes).toEqual([])
    const undo = await workspace.undo(id)
    await undo.approve(undefined, ANN)
    await undo.commit()
    expect([project.text('src/a.ts'), mode(project, 'src/a.ts')]).toEqual(['a one\na two\n', '755'])
  })

  it('does not block a removal', async () => {
    const { agent, review } = await commitWithRace((fs) => fs.unlinkSync('src/a.ts'), 0o600)
    expect((await review.commit()).committed).toEqual(['src/a.ts'])
    expect((await agent.changes()).changes).toEqual([])
  })

  it('does not give an agent a setuid file', async () => {
    const { project, review } = await commitWithRace((fs) => fs.writeFileSync('src/a.ts', 'new'), 0o4755)
    await review.commit()
    expect([project.text('src/a.ts'), mode(project, 'src/a.ts')]).toEqual(['new', '755'])
  })

  it('refuses the change of an agent that set another mode', async () => {
    const { project, review } = await commitWithRace((fs) => {
      fs.writeFileSync('src/a.ts', 'new')
      fs.chmodSync('src/a.ts', 0o700)
    }, 0o755)
    expect((await failure(() => review.commit())).reason).toBe('stale_file')
    expect([project.text('src/a.ts'), mode(project, 'src/a.ts')]).toEqual(['a one\na two\n', '755'])
  })
})
