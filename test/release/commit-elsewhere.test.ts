import { mkdirSync, renameSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Session } from '../../src/core/api.js'
import { startSession, type TestWorkspace, testWorkspace } from '../support/workspace.js'

const ANN = { name: 'Ann' }
const FILES = { 'src/old/a.ts': 'a\n', 'src/old/in/b.ts': 'b\n' }

/** A live session, and a review by another process, which shares none of the session's objects. */
async function apart(files: Readonly<Record<string, string>> = FILES): Promise<{
  readonly project: TestWorkspace
  readonly agent: Session
  commit(): Promise<void>
}> {
  const project = testWorkspace(files)
  const agent = await startSession(await project.open())
  return {
    project,
    agent,
    async commit() {
      const review = await (await project.open()).review('agent')
      await review.approve(undefined, ANN)
      const { left = [], conflicts } = await review.commit()
      expect({ left, conflicts }).toEqual({ left: [], conflicts: [] })
    },
  }
}

/** Between them the session makes only calls of its `fs`. */
describe('a commit by another process', () => {
  it('shows a renamed directory at its new name to the next call', async () => {
    const { project, agent, commit } = await apart()
    agent.fs.renameSync('src/old', 'src/new')
    await commit()
    expect(agent.fs.readFileSync('src/new/in/b.ts', 'utf8')).toBe('b\n')
    expect(agent.fs.existsSync('src/old')).toBe(false)
    agent.fs.renameSync('src/new', 'src/newer')
    agent.fs.writeFileSync('src/newer/a.ts', 'A\n')
    await commit()
    expect(project.text('src/newer/a.ts')).toBe('A\n')
    expect(project.text('src/newer/in/b.ts')).toBe('b\n')
  })

  it('lets the session write at the old name of a renamed directory, and loses neither', async () => {
    const { project, agent, commit } = await apart()
    agent.fs.renameSync('src/old', 'src/new')
    await commit()
    agent.fs.writeFileSync('src/old', 'precious\n')
    await commit()
    expect(project.text('src/old')).toBe('precious\n')
    expect(project.text('src/new/a.ts')).toBe('a\n')
  })

  it('lets the session write at the name of a directory it removed', async () => {
    const { project, agent, commit } = await apart()
    agent.fs.rmSync('src/old', { recursive: true })
    await commit()
    agent.fs.writeFileSync('src/old', 'precious\n')
    await commit()
    expect(project.text('src/old')).toBe('precious\n')
  })

  it("shows a person's later edit of a committed file to every form of a call", async () => {
    const { project, agent, commit } = await apart()
    agent.fs.renameSync('src/old', 'src/new')
    await commit()
    mkdirSync(`${project.root}/src/other`)
    renameSync(`${project.root}/src/new/a.ts`, `${project.root}/src/other/a.ts`)
    expect(await agent.fs.promises.readFile('src/other/a.ts', 'utf8')).toBe('a\n')
    expect(agent.fs.readdirSync('src/new')).toEqual(['in'])
    const names = await new Promise((done) => agent.fs.readdir('src/other', (_, found) => done(found)))
    expect(names).toEqual(['a.ts'])
  })
})
