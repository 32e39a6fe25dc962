import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Session } from '../../src/core/api.js'
import { startSession, type TestWorkspace, testWorkspace } from '../support/workspace.js'

const ANN = { name: 'Ann' }

/** A person replaces whatever is at a path with a directory that has a file. */
function replace(project: TestWorkspace, path: string): void {
  rmSync(`${project.root}/${path}`, { recursive: true, force: true })
  project.write(`${path}/mine.txt`, 'precious\n')
}

type Act = (fs: Session['fs']) => void

const ACTS: readonly (readonly [name: string, path: string, act: Act])[] = [
  ['a write', 'src/a.ts', (fs) => fs.writeFileSync('src/a.ts', 'two\n')],
  ['a creation', 'src/new', (fs) => fs.writeFileSync('src/new', 'n\n')],
  ['a deletion', 'src/a.ts', (fs) => fs.rmSync('src/a.ts')],
  ['a rename', 'src/a.ts', (fs) => fs.renameSync('src/a.ts', 'src/away.ts')],
  ['a rename onto it', 'src/a.ts', (fs) => fs.renameSync('src/b.ts', 'src/a.ts')],
  ['a symlink', 'src/l', (fs) => fs.symlinkSync('a.ts', 'src/l')],
  ['a hard link', 'src/h', (fs) => fs.linkSync('src/b.ts', 'src/h')],
  ['a mkdir', 'src/made', (fs) => fs.mkdirSync('src/made')],
]

describe("a person's changes at a path that the agent changed", () => {
  it.each(ACTS)('are drifted and kept in a directory that replaces the path, after %s', async (_, path, act) => {
    const project = testWorkspace({ 'src/a.ts': 'one\n', 'src/b.ts': 'b\n' })
    const workspace = await project.open()
    const agent = await startSession(workspace)
    act(agent.fs)
    replace(project, path)
    const review = await workspace.review('agent')
    for (const { path: name, flags } of (await review.changes()).changes)
      if (name.startsWith(`${path}/`)) expect([name, flags]).toEqual([name, expect.arrayContaining(['drifted'])])
    await review.approve(undefined, ANN)
    await review.commit()
    expect(project.text(`${path}/mine.txt`)).toBe('precious\n')
  })

  const inTheWay: readonly (readonly [string, (fs: Session['fs']) => void])[] = [
    ['a directory with a file', (fs) => fs.cpSync('src/d', 'src/made', { recursive: true })],
    ['an empty directory', (fs) => fs.mkdirSync('src/made')],
    ['a directory with a directory', (fs) => fs.mkdirSync('src/made/deep', { recursive: true })],
    ['a renamed directory', (fs) => fs.renameSync('src/d', 'src/made')],
  ]
  it.each(inTheWay)('are kept in a file that replaces %s, which is drifted', async (_, act) => {
    const project = testWorkspace({ 'src/a.ts': 'one\n', 'src/d/x': 'x\n' })
    const workspace = await project.open()
    const agent = await startSession(workspace)
    agent.fs.writeFileSync('src/a.ts', 'two\n')
    act(agent.fs)
    project.write('src/made', 'precious\n')
    const review = await workspace.review('agent')
    const { changes } = await review.changes()
    const below = changes.filter(({ path }) => path.startsWith('src/made'))
    expect(below.length).toBeGreaterThan(0)
    for (const { path, flags } of below) expect([path, flags]).toEqual([path, expect.arrayContaining(['drifted'])])
    await review.approve(undefined, ANN)
    expect((await review.commit()).committed).toEqual(['src/a.ts'])
    expect(project.text('src/made')).toBe('precious\n')
    expect(agent.fs.statSync('src/made').isDirectory()).toBe(true)
  })

  const inRemoved: readonly (readonly [string, (project: TestWorkspace) => void, string])[] = [
    ['a file', (project) => project.write('src/d/mine.txt', 'precious\n'), 'src/d/mine.txt'],
    ['a deep file', (project) => project.write('src/d/in/deep/mine.txt', 'precious\n'), 'src/d/in/deep/mine.txt'],
    ['an empty directory', (project) => mkdirSync(`${project.root}/src/d/made`), 'src/d/made'],
    ['a file where the directory was', replaceByFile, 'src/d'],
  ]
  it.each(inRemoved)('are kept in a removed directory: %s', async (_, act, kept) => {
    const project = testWorkspace({ 'src/d/x': 'x\n', 'src/d/in/y': 'y\n' })
    const workspace = await project.open()
    const agent = await startSession(workspace)
    agent.fs.rmSync('src/d', { recursive: true })
    act(project)
    const review = await workspace.review('agent')
    await review.approve(undefined, ANN)
    await review.commit()
    expect(existsSync(`${project.root}/${kept}`)).toBe(true)
    expect(existsSync(`${project.root}/src/d/x`)).toBe(false)
    if (kept !== 'src/d') expect(agent.fs.readdirSync(dirname(kept))).toEqual([basename(kept)])
  })

  it('move with a renamed directory, or stay if another file took the name', async () => {
    const project = testWorkspace({ 'src/d/x': 'x\n', 'src/d/y': 'y\n', 'src/z': 'z\n' })
    const workspace = await project.open()
    const agent = await startSession(workspace)
    agent.fs.renameSync('src/d', 'src/e')
    agent.fs.rmSync('src/e/x')
    agent.fs.writeFileSync('src/e/mine.txt', 'of the agent\n')
    project.write('src/d/mine.txt', 'precious\n')
    project.write('src/d/more.txt', 'more\n')
    const review = await workspace.review('agent')
    const displayed = (await review.changes()).changes.map(({ kind, path, from, flags }) => ({
      kind,
      path,
      from,
      flags,
    }))
    expect(displayed).toContainEqual(expect.objectContaining({ path: 'src/e/more.txt', from: 'src/d/more.txt' }))
    expect(displayed).toContainEqual(expect.objectContaining({ kind: 'delete', path: 'src/d/x', flags: [] }))
    const left = [expect.objectContaining({ path: 'src/d/mine.txt', reason: 'stale_file' })]
    expect((await review.approve(undefined, ANN)).left).toEqual(left)
    expect((await review.commit()).left).toEqual(left)
    expect((await review.commit()).left).toEqual(left)
    expect((await review.reject('src/d/mine.txt', 'mine', ANN)).left).toBeUndefined()
    expect((await review.commit()).left).toBeUndefined()
    expect(project.text('src/d/mine.txt')).toBe('precious\n')
    expect(readdirSync(`${project.root}/src/e`).sort()).toEqual(['mine.txt', 'more.txt', 'y'])
  })
})

/** A session that commits everything it stages. */
async function committing(files: Readonly<Record<string, string>>) {
  const project = testWorkspace(files)
  const workspace = await project.open()
  const { fs } = await startSession(workspace)
  const commit = async () => {
    const review = await workspace.review('agent')
    const { changes } = await review.changes()
    await review.approve(undefined, ANN)
    await review.commit()
    return {
      shown: changes.map(({ kind, path, flags }) => [kind, path, ...flags]),
      left: (await review.changes()).changes,
    }
  }
  return { project, workspace, fs, commit }
}

describe('a session after its commit', () => {
  const leaving: readonly (readonly [string, Act])[] = [
    ['removed', (fs) => fs.rmSync('src/d', { recursive: true })],
    ['renamed', (fs) => fs.renameSync('src/d', 'src/e')],
    ['emptied and removed', emptyAndRemove],
  ]
  const coming: readonly (readonly [string, Act])[] = [
    ['a file', (fs) => fs.writeFileSync('src/d', 'again\n')],
    ['a link', (fs) => fs.symlinkSync('x.ts', 'src/d')],
    ['a directory', (fs) => fs.mkdirSync('src/d/in', { recursive: true })],
  ]
  it.each(leaving.flatMap(([left, leave]) => coming.map(([came, come]) => [left, came, leave, come] as const)))(
    'sees the new entry if a directory was %s, and %s took its name',
    async (_left, _came, leave, come) => {
      const { project, fs, commit } = await committing({ 'src/d/x': 'x\n', 'src/z': 'z\n' })
      leave(fs)
      expect((await commit()).left).toEqual([])
      expect(fs.readdirSync('src')).toEqual(readdirSync(`${project.root}/src`))
      come(fs)
      const { shown, left } = await commit()
      expect(shown).toHaveLength(1)
      expect(shown.flat()).not.toContain('drifted')
      expect(left).toEqual([])
      expect(readdirSync(`${project.root}/src`)).toContain('d')
      expect(fs.readdirSync('src')).toEqual(readdirSync(`${project.root}/src`))
    },
  )

  it('sees a renamed directory at its new name and can rename it again', async () => {
    const { project, fs, commit } = await committing({ 'src/old/a.txt': 'A\n' })
    fs.renameSync('src/old', 'src/new')
    await commit()
    expect(fs.readFileSync('src/new/a.txt', 'utf8')).toBe('A\n')
    fs.renameSync('src/new', 'src/newer')
    await commit()
    expect(readdirSync(`${project.root}/src`)).toEqual(['newer'])
    expect(fs.readdirSync('src')).toEqual(['newer'])
  })

  it('sees a file that took the name of its renamed directory in the same commit', async () => {
    const { project, fs, commit } = await committing({ 'src/z': 'z\n' })
    fs.mkdirSync('src/b/b', { recursive: true })
    await commit()
    fs.renameSync('src/b', 'src/l')
    fs.writeFileSync('src/b', 'precious')
    const { left } = await commit()
    expect(left).toEqual([])
    expect(project.text('src/b')).toBe('precious')
    expect(fs.readdirSync('src/l')).toEqual(['b'])
  })
})

function emptyAndRemove(fs: Session['fs']): void {
  fs.unlinkSync('src/d/x')
  fs.rmdirSync('src/d')
}

function replaceByFile(project: TestWorkspace): void {
  rmSync(`${project.root}/src/d`, { recursive: true })
  project.write('src/d', 'precious\n')
}
