import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Session, Workspace } from '../../src/core/api.js'
import { listing } from '../commit/kit.js'
import { failure, recordsOf, startSession, type TestWorkspace, testWorkspace } from '../support/workspace.js'

const ANN = { name: 'Ann' }

interface Moved {
  readonly project: TestWorkspace
  readonly workspace: Workspace
  readonly agent: Session
}

/** A directory with every kind of entry, which an agent renames from `src/old` to `src/deep/new`. */
async function moving(more: (project: TestWorkspace) => void = () => undefined): Promise<Moved> {
  const project = testWorkspace({
    'src/old/a.ts': 'a one\na two\n',
    'src/old/in/b.ts': 'b\n',
    'src/old/in/c.sh': 'c\n',
  })
  mkdirSync(`${project.root}/src/old/empty`)
  chmodSync(`${project.root}/src/old/empty`, 0o750)
  chmodSync(`${project.root}/src/old/in/c.sh`, 0o755)
  symlinkSync('a.ts', `${project.root}/src/old/link`)
  more(project)
  const workspace = await project.open()
  const agent = await startSession(workspace)
  agent.fs.mkdirSync('src/deep')
  agent.fs.renameSync('src/old', 'src/deep/new')
  return { project, workspace, agent }
}

async function commitAll({ workspace }: Moved, id = 'agent') {
  const review = await workspace.review(id)
  await review.approve(undefined, ANN)
  return review.commit()
}

const inode = (project: TestWorkspace, path: string) => lstatSync(`${project.root}/${path}`).ino

describe('a renamed directory', () => {
  it('is committed by one rename, including later edits in it, and undone by one', async () => {
    const moved = await moving()
    const { project, agent, workspace } = moved
    const before = listing(project.root)
    const inodes = ['src/old', 'src/old/in', 'src/old/in/b.ts', 'src/old/empty'].map((path) => inode(project, path))
    agent.fs.writeFileSync('src/deep/new/a.ts', 'a one\na TWO\n')
    agent.fs.chmodSync('src/deep/new/in/c.sh', 0o700)
    agent.fs.mkdirSync('src/deep/new/more')
    agent.fs.writeFileSync('src/deep/new/more/d.ts', 'd\n')
    const { id, committed, conflicts } = await commitAll(moved)
    expect(conflicts).toEqual([])
    expect(committed.filter((path) => path.startsWith('src/deep/new/')).sort()).toEqual(
      ['a.ts', 'empty', 'in/b.ts', 'in/c.sh', 'link', 'more/d.ts'].map((name) => `src/deep/new/${name}`),
    )
    expect(listing(project.root)).toEqual({
      src: 'dir 755',
      'src/deep': 'dir 755',
      'src/deep/new': 'dir 755',
      'src/deep/new/a.ts': 'file 644 a one\na TWO\n',
      'src/deep/new/empty': 'dir 750',
      'src/deep/new/in': 'dir 755',
      'src/deep/new/in/b.ts': 'file 644 b\n',
      'src/deep/new/in/c.sh': 'file 700 c\n',
      'src/deep/new/link': 'link a.ts',
      'src/deep/new/more': 'dir 755',
      'src/deep/new/more/d.ts': 'file 644 d\n',
    })
    const inodesAfter = ['', '/in', '/in/b.ts', '/empty'].map((name) => inode(project, `src/deep/new${name}`))
    expect(inodesAfter).toEqual(inodes)
    expect((await agent.changes()).changes).toEqual([])
    const undo = await workspace.undo(id)
    expect((await undo.changes()).changes.flatMap(({ flags }) => flags)).not.toContain('drifted')
    await commitAll(moved, undo.sessionId)
    expect(listing(project.root)).toEqual(before)
    expect(inode(project, 'src/old/in')).toBe(inodes[1])
    expect((await workspace.ledger.verify()).ok).toBe(true)
  })

  it('leaves files that another program added since in place, and commits the rest', async () => {
    const moved = await moving()
    const { project, workspace } = moved
    const review = await workspace.review('agent')
    await review.approve(undefined, ANN)
    project.write('src/old/in/theirs.ts', 'theirs')
    project.write('src/old/in/b.ts', 'theirs too')
    await review.commit()
    expect(listing(project.root)).toMatchObject({
      'src/old/in/theirs.ts': 'file 644 theirs',
      'src/old/in/b.ts': 'file 644 theirs too',
      'src/deep/new/in/c.sh': 'file 755 c\n',
      'src/deep/new/a.ts': 'file 644 a one\na two\n',
    })
    expect(readdirSync(`${project.root}/src/deep/new/in`)).toEqual(['c.sh'])
  })

  it('moves without entries that are removed, moved elsewhere or recreated', async () => {
    const moved = await moving()
    const { project, agent, workspace } = moved
    const before = listing(project.root)
    const dir = inode(project, 'src/old/in')
    const { fs } = agent
    fs.unlinkSync('src/deep/new/a.ts')
    fs.renameSync('src/deep/new/in/b.ts', 'src/b.ts')
    fs.rmdirSync('src/deep/new/empty')
    fs.writeFileSync('src/deep/new/empty', 'a file now')
    fs.unlinkSync('src/deep/new/link')
    fs.mkdirSync('src/deep/new/link')
    fs.writeFileSync('src/deep/new/link/in', 'x')
    const { id } = await commitAll(moved)
    expect(inode(project, 'src/deep/new/in')).toBe(dir)
    expect(listing(project.root)).toEqual({
      src: 'dir 755',
      'src/b.ts': 'file 644 b\n',
      'src/deep': 'dir 755',
      'src/deep/new': 'dir 755',
      'src/deep/new/empty': 'file 644 a file now',
      'src/deep/new/in': 'dir 755',
      'src/deep/new/in/c.sh': 'file 755 c\n',
      'src/deep/new/link': 'dir 755',
      'src/deep/new/link/in': 'file 644 x',
    })
    expect((await agent.changes()).changes).toEqual([])
    await commitAll(moved, (await workspace.undo(id)).sessionId)
    expect(listing(project.root)).toEqual(before)
    expect(inode(project, 'src/old/in')).toBe(dir)
  })

  it('is moved file by file if its old name is taken, an inner directory has another mode, or only a part is approved', async () => {
    const leaves: ((fs: Session['fs']) => void)[] = [
      (fs) => fs.chmodSync('src/deep/new/in', 0o700),
      (fs) => fs.writeFileSync('src/old', 'a file now'),
    ]
    for (const leave of leaves) {
      const moved = await moving()
      leave(moved.agent.fs)
      const dir = inode(moved.project, 'src/old/in')
      await commitAll(moved)
      expect(moved.project.text('src/deep/new/in/c.sh')).toBe('c\n')
      expect(inode(moved.project, 'src/deep/new/in')).not.toBe(dir)
      expect((await moved.agent.changes()).changes).toEqual([])
    }
    const moved = await moving()
    const review = await moved.workspace.review('agent')
    await review.approve('src/deep/new/in/b.ts', ANN)
    await review.commit()
    expect(readdirSync(`${moved.project.root}/src/old/in`)).toEqual(['c.sh'])
    expect(moved.project.text('src/deep/new/in/b.ts')).toBe('b\n')
  })

  it('is not moved together with a pipe, which no review shows', async () => {
    const moved = await moving((project) => execFileSync('mkfifo', [`${project.root}/src/old/in/pipe`]))
    await commitAll(moved)
    expect(readdirSync(`${moved.project.root}/src/old/in`)).toEqual(['pipe'])
    expect(existsSync(`${moved.project.root}/src/deep/new/in/b.ts`)).toBe(true)
  })

  it('is refused with every protected name in it, at any depth', async () => {
    const moved = await moving()
    moved.project.write('src/old/in/sub/.git/config', 'x')
    const review = await moved.workspace.review('agent')
    await review.approve(undefined, ANN)
    const before = listing(moved.project.root)
    const error = await failure(() => review.commit())
    expect(error.refused?.map(({ path, reason }) => [path, reason])).toContainEqual([
      'src/old/in/sub/.git/config',
      'protected_path',
    ])
    expect(listing(moved.project.root)).toEqual(before)
  })

  it('is undone file by file if others added files since', async () => {
    const moved = await moving()
    const { project, workspace } = moved
    const { id } = await commitAll(moved)
    project.write('src/deep/new/theirs.ts', 'theirs')
    rmSync(`${project.root}/src/deep/new/in/b.ts`)
    const undo = await workspace.undo(id)
    await commitAll(moved, undo.sessionId)
    expect(listing(project.root)).toMatchObject({
      'src/old/a.ts': 'file 644 a one\na two\n',
      'src/old/in/c.sh': 'file 755 c\n',
      'src/old/link': 'link a.ts',
      'src/old/empty': 'dir 750',
      'src/deep/new/theirs.ts': 'file 644 theirs',
    })
    expect(existsSync(`${project.root}/src/deep/new/a.ts`)).toBe(false)
  })

  it('has a record of each moved file', async () => {
    const moved = await moving()
    await commitAll(moved)
    const record = (await recordsOf(moved.workspace)).at(-1)
    expect(JSON.stringify(record)).toContain('"from":"src/old/in/b.ts"')
  })
})
