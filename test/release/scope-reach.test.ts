import { mkdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { scopeReach } from '../../src/release/scope-reach.js'
import { describeReach } from '../../src/review/index.js'
import { commitAll, git } from '../support/git.js'
import { startSession, testWorkspace } from '../support/workspace.js'

const FILES = {
  'src/a.ts': '',
  'lib/b.ts': '',
  'lib/package.json': '{}',
  'lib/.github/workflows/ci.yml': '',
  'out/c.js': '',
}

describe('the reach of a wider scope', () => {
  it('has the files that only the new globs match, and those that run code', () => {
    const { root, write } = testWorkspace(FILES)
    const expected = {
      files: 3,
      examples: ['lib/.github/workflows/ci.yml', 'lib/b.ts', 'lib/package.json'],
      running: ['lib/package.json names dependencies'],
    }
    expect(scopeReach(root, ['src/**'], ['lib/**', 'src/**'])).toEqual(expected)
    // The list is cached for a moment: not every question starts git or reads the disk.
    write('lib/later.ts', '')
    expect(scopeReach(root, ['src/**'], ['lib/**'])).toEqual(expected)
  })

  it('leaves out directories that cannot be read', () => {
    const { root } = testWorkspace(FILES)
    mkdirSync(Buffer.concat([Buffer.from(`${root}/lib/`), Buffer.from([0xff])]))
    expect(scopeReach(root, ['src/**'], ['lib/**']).files).toBe(3)
  })

  it('has no files that git ignores', () => {
    const { root, write } = testWorkspace(FILES)
    git(root, 'init', '-q')
    write('.gitignore', 'out/\n')
    commitAll(root)
    expect(scopeReach(root, ['src/**'], ['lib/**']).files).toBe(3)
    expect(scopeReach(root, [], ['out/**'])).toEqual({ files: 0, examples: [], running: [] })
  })

  it('is in a question that a person reads, and not in what the agent gets', async () => {
    const project = testWorkspace({ ...FILES })
    const workspace = await project.open()
    const session = await startSession(workspace)
    const request = await session.requestScope(['lib/**'], 'The helper is there')
    await session.flush()
    const [question] = await (await workspace.review(session.id)).questions()
    expect(question).toMatchObject({ kind: 'scope', reach: { files: 3 } })
    expect(JSON.stringify(request)).not.toContain('reach')
  })
})

describe("the sentence on a scope's reach", () => {
  it.each([
    [{ files: 0, examples: [], running: [] }, 'No file is there yet.'],
    [{ files: 1, examples: ['a'], running: [] }, '1 more file: a.'],
    [
      { files: 9, examples: ['a', 'b'], running: ['c is run by git'], atLeast: true as const },
      'At least 9 more files: a, b, …. Among them: c is run by git.',
    ],
  ])('for %j', (reach, text) => {
    expect(describeReach(reach)).toBe(text)
  })
})
