import { describe, expect, it } from 'vitest'
import { testWorkspace, working } from './support/workspace.js'

/** A live session goes on after its changes were committed: the calls that follow answer as on a plain directory. */
async function started(files: Readonly<Record<string, string>>) {
  const at = testWorkspace(files)
  const workspace = await at.open()
  const agent = await working(workspace)
  const commit = async () => {
    const review = await workspace.review('agent')
    await review.approve()
    return review.commit()
  }
  return { at, fs: agent.fs, agent, commit }
}

describe('after a commit, a session', () => {
  it('removes a directory that it had put in the place of a file it had read', async () => {
    const { fs, commit } = await started({ 'src/d/b': 'x\n' })
    expect(fs.readFileSync('src/d/b', 'utf8')).toBe('x\n')
    fs.rmSync('src/d', { recursive: true })
    fs.mkdirSync('src/d/b', { recursive: true })
    await commit()
    fs.rmSync('src/d/b', { recursive: true })
    expect(fs.readdirSync('src/d')).toEqual([])
  })

  it('removes a directory with a file in it that it had put in the place of a file it had read', async () => {
    const { fs, commit } = await started({ 'src/b': 'x\n' })
    expect(fs.readFileSync('src/b', 'utf8')).toBe('x\n')
    fs.rmSync('src/b')
    fs.mkdirSync('src/b')
    fs.writeFileSync('src/b/c', 'c\n')
    await commit()
    fs.rmSync('src/b', { recursive: true })
    expect(fs.existsSync('src/b')).toBe(false)
  })
})
