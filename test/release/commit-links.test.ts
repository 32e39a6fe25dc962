import { lstatSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { Selection, Session, Workspace } from '../../src/core/api.js'
import { startSession, type TestWorkspace, testWorkspace } from '../support/workspace.js'

const ANN = { name: 'Ann' }

/** An agent works; a person approves everything, or `some`, and commits. */
async function commitWork(
  project: TestWorkspace,
  workspace: Workspace,
  work: (fs: Session['fs']) => void,
  some?: Selection,
) {
  const agent = await startSession(workspace)
  work(agent.fs)
  const review = await workspace.review('agent')
  const { changes } = await review.changes()
  await review.approve(some, ANN)
  const { id } = await review.commit()
  const rest = (await agent.changes()).changes
  return { id, flags: Object.fromEntries(changes.map(({ path, flags }) => [path, flags])), rest, agent, project }
}

/** The link count and content of a path. */
function describeEntry(project: TestWorkspace, path: string): string {
  return `${lstatSync(`${project.root}/${path}`).nlink} ${project.text(path)}`
}

const inode = (project: TestWorkspace, path: string) => lstatSync(`${project.root}/${path}`).ino

it('commits several names staged for one new file as hard links, and shows them as such', async () => {
  const project = testWorkspace()
  const { flags, rest } = await commitWork(project, await project.open(), (fs) => {
    fs.writeFileSync('src/deep-name.ts', 'one')
    fs.mkdirSync('src/deep')
    fs.linkSync('src/deep-name.ts', 'src/deep/other.ts')
    fs.linkSync('src/deep-name.ts', 'src/sub/third.ts')
    fs.writeFileSync('src/deep/other.ts', 'both')
    fs.writeFileSync('src/alone.ts', 'both')
  })
  expect(flags).toMatchObject({
    'src/deep-name.ts': ['hard-link'],
    'src/deep/other.ts': ['hard-link'],
    'src/sub/third.ts': ['hard-link'],
    'src/alone.ts': [],
  })
  const names = ['src/deep-name.ts', 'src/deep/other.ts', 'src/sub/third.ts']
  expect(names.map((name) => describeEntry(project, name))).toEqual(names.map(() => '3 both'))
  expect(new Set(names.map((name) => inode(project, name))).size).toBe(1)
  expect(describeEntry(project, 'src/alone.ts')).toBe('1 both')
  expect(rest).toEqual([])
})

it('commits a new name for a file on disk as a hard link of that file', async () => {
  const project = testWorkspace()
  const workspace = await project.open()
  const old = inode(project, 'src/a.ts')
  const { id, rest, flags } = await commitWork(project, workspace, (fs) => {
    fs.linkSync('src/a.ts', 'src/sub/b.ts')
    fs.linkSync('src/sub/b.ts', 'src/third.ts')
  })
  expect(Object.keys(flags)).toEqual(['src/sub/b.ts', 'src/third.ts'])
  expect(['src/a.ts', 'src/sub/b.ts', 'src/third.ts'].map((name) => inode(project, name))).toEqual([old, old, old])
  expect(describeEntry(project, 'src/a.ts')).toBe('3 a one\na two\n')
  expect(rest).toEqual([])
  const undo = await workspace.undo(id)
  await undo.approve(undefined, ANN)
  await undo.commit()
  expect(project.text('src/a.ts')).toBe('a one\na two\n')
  expect(inode(project, 'src/a.ts')).toBe(old)
})

it('commits a file that was linked and then written as one new file with all its names', async () => {
  const project = testWorkspace()
  const { rest } = await commitWork(project, await project.open(), (fs) => {
    fs.linkSync('src/a.ts', 'src/b2.ts')
    fs.appendFileSync('src/b2.ts', 'more')
    fs.renameSync('src/b.ts', 'src/moved.ts')
    fs.linkSync('src/moved.ts', 'src/sub/moved.ts')
  })
  expect([describeEntry(project, 'src/a.ts'), describeEntry(project, 'src/b2.ts')]).toEqual([
    '2 a one\na two\nmore',
    '2 a one\na two\nmore',
  ])
  expect(inode(project, 'src/a.ts')).toBe(inode(project, 'src/b2.ts'))
  expect(inode(project, 'src/moved.ts')).toBe(inode(project, 'src/sub/moved.ts'))
  expect(rest).toEqual([])
})

it('commits one approved name by itself and leaves the others unchanged', async () => {
  const project = testWorkspace()
  const { rest, agent } = await commitWork(
    project,
    await project.open(),
    (fs) => {
      fs.linkSync('src/a.ts', 'src/b2.ts')
      fs.writeFileSync('src/b2.ts', 'new')
    },
    'src/b2.ts',
  )
  expect([describeEntry(project, 'src/a.ts'), describeEntry(project, 'src/b2.ts')]).toEqual([
    '1 a one\na two\n',
    '1 new',
  ])
  expect(rest.map(({ path }) => path)).toEqual(['src/a.ts'])
  expect(agent.fs.readFileSync('src/a.ts', 'utf8')).toBe('new')
})

it('does not link to a file that changed on disk since', async () => {
  const project = testWorkspace()
  const workspace = await project.open()
  const agent = await startSession(workspace)
  agent.fs.linkSync('src/a.ts', 'src/b2.ts')
  const review = await workspace.review('agent')
  await review.approve('src/b2.ts', ANN)
  project.write('src/a.ts', 'theirs')
  await review.commit()
  expect([describeEntry(project, 'src/a.ts'), describeEntry(project, 'src/b2.ts')]).toEqual([
    '1 theirs',
    '1 a one\na two\n',
  ])
})
