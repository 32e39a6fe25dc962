import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { bareRepositoryAt } from '../../src/policy/bare-repository.js'
import { startSession, testWorkspace } from '../support/workspace.js'

const INTENTS = `active_intents:
  - {id: INT-001, name: All, status: IN_PROGRESS, owned_scope: ["**"]}
`
const refused = expect.objectContaining({ reason: 'protected_path' })

describe('a directory that is a repository under another name', () => {
  it.each<[string, string[], string | undefined]>([
    ['d/HEAD', ['d/objects', 'd/refs'], 'd'],
    ['d/refs', ['d/objects', 'd/HEAD'], 'd'],
    ['d/refs/heads/main', ['d/objects', 'd/HEAD'], 'd'],
    ['d/Head', ['d/OBJECTS', 'd/refs'], 'd'],
    ['d/config', ['d/HEAD', 'd/objects', 'd/refs'], 'd'],
    ['d/hooks/pre-commit', ['d/HEAD', 'd/objects', 'd/refs'], 'd'],
    ['d/commondir', ['d/HEAD'], 'd'],
    ['config', ['HEAD', 'objects', 'refs'], ''],
    ['a/config/b/objects', ['a/config/b/HEAD', 'a/config/b/refs'], 'a/config/b'],
    ['d/HEAD', ['d/objects'], undefined],
    ['d/readme', ['d/HEAD', 'd/objects', 'd/refs'], undefined],
    ['src/config/a.ts', [], undefined],
    ['d/subject/refs', ['d/HEAD', 'd/objects'], undefined],
  ])('is detected or not by %s next to %j', (path, present, dir) => {
    expect(bareRepositoryAt(path, (each) => (present.includes(each) ? 'file' : undefined))).toBe(dir)
  })

  it('cannot be made by a tool, a move or a command', async () => {
    const { fs: agent, session } = await scene()
    agent.mkdirSync('src/x/objects', { recursive: true })
    agent.mkdirSync('src/x/other')
    agent.writeFileSync('src/x/HEAD', 'ref: refs/heads/main\n')
    expect(() => agent.mkdirSync('src/x/refs')).toThrow(refused)
    expect(() => agent.renameSync('src/x/other', 'src/x/refs')).toThrow(refused)
    expect(() => agent.symlinkSync('other', 'src/x/refs')).toThrow(refused)
    const ran = await session.exec(
      'mkdir -p src/y/objects src/y/refs; echo "ref: refs/heads/main" > src/y/HEAD; echo > src/y/config',
    )
    expect(ran.refused.map(({ reason }) => reason)).toContain('protected_path')
    expect(['HEAD', 'objects', 'refs'].every((name) => agent.existsSync(`src/y/${name}`))).toBe(false)
  })

  it('of a person’s keeps its config and hooks', async () => {
    const { project, fs: agent } = await scene()
    for (const dir of ['objects', 'refs', 'hooks']) fs.mkdirSync(`${project.root}/lib.git/${dir}`, { recursive: true })
    project.write('lib.git/HEAD', 'ref: refs/heads/main\n')
    expect(() => agent.writeFileSync('lib.git/config', '[core]\nfsmonitor = evil\n')).toThrow(refused)
    expect(() => agent.writeFileSync('lib.git/hooks/post-checkout', 'evil')).toThrow(refused)
    agent.rmSync('lib.git', { recursive: true })
  })

  it("cannot be assembled from two sessions' staged files", async () => {
    const { project, workspace, fs: agent, session } = await scene()
    const second = await startSession(workspace, 'second')
    agent.mkdirSync('x/objects', { recursive: true })
    agent.writeFileSync('x/objects/a', 'a\n')
    agent.writeFileSync('x/HEAD', 'ref: refs/heads/main\n')
    second.fs.mkdirSync('x/refs', { recursive: true })
    second.fs.writeFileSync('x/refs/a', 'a\n')
    await session.flush()
    await second.flush()
    const first = await workspace.review('agent')
    await first.approve()
    await first.commit()
    const review = await workspace.review('second')
    expect((await review.changes()).changes).toMatchObject([{ path: 'x/refs/a', flags: ['protected'] }])
    await review.approve()
    await expect(review.commit()).rejects.toMatchObject({ refused: [{ path: 'x/refs/a', reason: 'protected_path' }] })
    expect(fs.existsSync(`${project.root}/x/refs`)).toBe(false)
  })
})

async function scene() {
  const project = testWorkspace({ 'src/a.ts': 'a\n' }, INTENTS)
  const workspace = await project.open()
  const session = await startSession(workspace)
  return { project, workspace, session, fs: session.fs }
}
