import { appendFileSync, statSync, utimesSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { startSession, testWorkspace } from '../support/workspace.js'

/** A live session continues after a commit of its changes: later calls behave as on a plain directory. */
async function startAgent(files: Readonly<Record<string, string>>) {
  const project = testWorkspace(files)
  const workspace = await project.open()
  const agent = await startSession(workspace)
  const commit = async () => {
    const review = await workspace.review('agent')
    await review.approve()
    return review.commit()
  }
  return { project, workspace, fs: agent.fs, commit }
}

describe('a live session after a commit of its changes', () => {
  it('removes a directory that had replaced a file', async () => {
    const { fs, commit } = await startAgent({ 'src/d/b': 'x\n' })
    expect(fs.readFileSync('src/d/b', 'utf8')).toBe('x\n')
    fs.rmSync('src/d', { recursive: true })
    fs.mkdirSync('src/d/b', { recursive: true })
    await commit()
    fs.rmSync('src/d/b', { recursive: true })
    expect(fs.readdirSync('src/d')).toEqual([])
  })

  it('removes a directory and its file that had replaced a file', async () => {
    const { fs, commit } = await startAgent({ 'src/b': 'x\n' })
    expect(fs.readFileSync('src/b', 'utf8')).toBe('x\n')
    fs.rmSync('src/b')
    fs.mkdirSync('src/b')
    fs.writeFileSync('src/b/c', 'c\n')
    await commit()
    fs.rmSync('src/b', { recursive: true })
    expect(fs.existsSync('src/b')).toBe(false)
  })

  it.each([1, 40])('has %s moved files with one name each, even while undo keeps copies', async (count) => {
    const names = Array.from({ length: count }, (_, n) => `${n}.ts`)
    const { project, fs, commit, workspace } = await startAgent(
      Object.fromEntries(names.map((name) => [`src/${name}`, name])),
    )
    // A recently written file is copied: its mtime might not show a later write.
    for (const name of names) utimesSync(`${project.root}/src/${name}`, 1, 1)
    const before = statSync(`${project.root}/src/0.ts`)
    fs.mkdirSync('src/to')
    for (const name of names) fs.renameSync(`src/${name}`, `src/to/${name}`)
    const { id } = await commit()
    for (const name of names) expect(statSync(`${project.root}/src/to/${name}`).nlink).toBe(1)
    expect(statSync(`${project.root}/src/to/0.ts`).ino).toBe(before.ino)
    // A write into the moved file does not reach the content kept for undo.
    appendFileSync(`${project.root}/src/to/0.ts`, ' and more')
    const undo = await workspace.undo(id)
    expect(Buffer.from((await undo.content('src/0.ts', 'after')) ?? []).toString()).toBe('0.ts')
  })

  it('still proposes to replace a file by a directory after another session commits', async () => {
    const { project, workspace, fs, commit } = await startAgent({ 'src/b/a': 'x\n', 'src/a': 'one\n' })
    fs.rmSync('src/b', { recursive: true })
    fs.mkdirSync('src/b/a', { recursive: true })
    const other = await startSession(workspace, 'other')
    other.fs.writeFileSync('src/a', 'two\n')
    const review = await workspace.review('other')
    await review.approve()
    await review.commit()
    const { committed, left } = await commit()
    expect({ committed, left }).toEqual({ committed: ['src/b/a'], left: undefined })
    expect(statSync(`${project.root}/src/b/a`).isDirectory()).toBe(true)
  })
})
