import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Session, Workspace } from '../../src/index.js'
import { layoutAt } from '../../src/os/workspace-state.js'
import { recordsOf, startSession, type TestWorkspace, testWorkspace } from '../support/workspace.js'

const DAY_MS = 86_400_000

interface Scene extends TestWorkspace {
  readonly workspace: Workspace
  readonly session: Session
}

async function scene(): Promise<Scene> {
  const project = testWorkspace()
  const workspace = await project.open()
  return { ...project, workspace, session: await startSession(workspace) }
}

const dirOf = ({ root, session }: Scene) => layoutAt(root).session(session.id).dir

describe('a session without anything in it', () => {
  it('is removed once it is closed, and the ledger keeps what it did', async () => {
    const at = await scene()
    const { workspace, session } = at
    session.fs.readFileSync('src/a.ts')
    await session.snapshot()
    expect(await workspace.removeEmptySession(session.id)).toBe(false)
    await session.close()
    expect(await workspace.removeEmptySession(session.id)).toBe(true)
    expect(existsSync(dirOf(at))).toBe(false)
    expect(await workspace.sessions()).toEqual([])
    expect((await recordsOf(workspace)).filter(({ session_id }) => session_id === session.id)).not.toEqual([])
    expect(await workspace.removeEmptySession(session.id)).toBe(false)
  })

  it('begins again under its id, also after a commit of the first one', async () => {
    const { root, workspace, session } = await scene()
    session.fs.writeFileSync('src/new.ts', 'b\n')
    const review = await workspace.review(session.id)
    await review.approve()
    await review.commit()
    await session.close()
    // As if it had never been reviewed.
    const { dir } = layoutAt(root).session(session.id)
    for (const name of readdirSync(dir))
      if (name !== 'stage.log' && name !== 'meta.json') rmSync(join(dir, name), { recursive: true })
    expect(await workspace.removeEmptySession(session.id)).toBe(true)
    const again = await startSession(workspace)
    again.fs.writeFileSync('src/new.ts', 'b\n')
    again.fs.writeFileSync('src/c.ts', 'c\n')
    expect((await again.changes()).changes.map(({ path }) => path)).toEqual(['src/c.ts'])
  })

  it('stays while another workspace object holds it, or has used it lately', async () => {
    const at = await scene()
    const person = await at.open()
    expect(await person.removeEmptySession(at.session.id)).toBe(false)
    await at.session.close()
    expect(await person.removeEmptySession(at.session.id, { unusedMs: DAY_MS })).toBe(false)
    const old = new Date(Date.now() - 2 * DAY_MS)
    utimesSync(dirOf(at), old, old)
    expect(await person.removeEmptySession(at.session.id, { unusedMs: DAY_MS })).toBe(true)
  })

  it('that a killed process was removing is gone after the next removal', async () => {
    const { root, workspace, session } = await scene()
    const { removed } = layoutAt(root)
    mkdirSync(join(removed, 'left', 'deep'), { recursive: true })
    await session.close()
    expect(await workspace.removeEmptySession(session.id)).toBe(true)
    expect(readdirSync(removed)).toEqual([])
  })
})

describe('a session stays', () => {
  it.each<[string, (at: Scene) => unknown]>([
    ['with a staged file', ({ session }) => session.fs.writeFileSync('src/new.ts', 'b\n')],
    ['with a staged directory', ({ session }) => session.fs.mkdirSync('src/new')],
    ['with a staged removal', ({ session }) => session.fs.rmSync('src/a.ts')],
    [
      'with content that only a snapshot has',
      async ({ session }) => {
        session.fs.writeFileSync('src/new.ts', 'b\n')
        await session.snapshot()
        session.fs.rmSync('src/new.ts')
      },
    ],
    [
      'after a discard, which can be undone by a snapshot',
      async ({ session, workspace }) => {
        session.fs.writeFileSync('src/new.ts', 'b\n')
        await (await workspace.review(session.id)).discard()
      },
    ],
    ['with a question', ({ session }) => session.requestScope(['docs/**'], 'The manual changes too.')],
    ['with a refused change of a command', ({ session }) => session.exec('echo x > outside.txt')],
    ['with a file that this version does not know', (at) => writeFileSync(join(dirOf(at), 'new-format'), '')],
  ])('%s', async (_, act) => {
    const at = await scene()
    await act(at)
    await at.session.close()
    expect(await at.workspace.removeEmptySession(at.session.id)).toBe(false)
    expect(existsSync(dirOf(at))).toBe(true)
    expect((await at.workspace.sessions()).map(({ id }) => id)).toEqual([at.session.id])
  })

  it('if its id is none', async () => {
    const { workspace } = await scene()
    expect(await workspace.removeEmptySession('../sessions')).toBe(false)
  })
})
