import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openVcs } from '../../src/trace/vcs.js'
import { workspaces } from './support.js'

const A = 'a'.repeat(40)
const B = 'b'.repeat(40)
const LONG = 'c'.repeat(64)

function put(root: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
}

describe('openVcs', () => {
  const workspace = workspaces()
  const revisionOf = (files: Record<string, string>, at = ''): string | undefined => {
    const { root } = workspace()
    put(root, files)
    return openVcs(join(root, at))()?.revision
  }
  const BRANCH = 'ref: refs/heads/main\n'

  it.each<[string, Record<string, string>, string | undefined]>([
    ['no repository', {}, undefined],
    ['an empty repository', { '.git/HEAD': BRANCH }, undefined],
    ['a branch', { '.git/HEAD': BRANCH, '.git/refs/heads/main': `${A}\n` }, A],
    ['a detached HEAD', { '.git/HEAD': `${B}\n` }, B],
    ['SHA-256 objects', { '.git/HEAD': `${LONG}\n` }, LONG],
    [
      'packed refs',
      {
        '.git/HEAD': BRANCH,
        '.git/packed-refs': `# pack-refs\n${B} refs/heads/mainline\n${A} refs/heads/main\n^${B}\n`,
      },
      A,
    ],
    [
      'a loose ref before a packed one',
      { '.git/HEAD': BRANCH, '.git/refs/heads/main': A, '.git/packed-refs': `${B} refs/heads/main\n` },
      A,
    ],
    ['a ref to a ref', { '.git/HEAD': 'ref: refs/heads/x', '.git/refs/heads/x': BRANCH, '.git/refs/heads/main': A }, A],
    [
      'a worktree',
      {
        '.git': 'gitdir: repo/worktrees/w\n',
        'repo/worktrees/w/HEAD': BRANCH,
        'repo/worktrees/w/commondir': '../..\n',
        'repo/worktrees/w/gitdir': '../../../.git\n',
        'repo/refs/heads/main': A,
        'repo/HEAD': B,
      },
      A,
    ],
    [
      'a worktree with packed refs',
      {
        '.git': 'gitdir: repo/worktrees/w\n',
        'repo/worktrees/w/HEAD': BRANCH,
        'repo/worktrees/w/commondir': '../..\n',
        'repo/worktrees/w/gitdir': '../../../.git\n',
        'repo/packed-refs': `${A} refs/heads/main\n`,
      },
      A,
    ],
    [
      'a submodule',
      {
        '.git': 'gitdir: modules/s',
        'modules/s/config': '[core]\n\tworktree = ../..\n',
        'modules/s/HEAD': BRANCH,
        'modules/s/refs/heads/main': A,
      },
      A,
    ],
    ['a ref outside of the repository', { '.git/HEAD': 'ref: refs/../../secret', secret: A }, undefined],
    ['a ref outside refs/', { '.git/HEAD': 'ref: other', '.git/other': A }, undefined],
    ['circular refs', { '.git/HEAD': BRANCH, '.git/refs/heads/main': BRANCH }, undefined],
    ['an invalid HEAD', { '.git/HEAD': '\0\0' }, undefined],
    ['a ref that is a directory', { '.git/HEAD': BRANCH, '.git/refs/heads/main/deep': A }, undefined],
    ['a .git file that points nowhere', { '.git': 'gitdir: /nonexistent\n' }, undefined],
    ['an empty .git file', { '.git': '' }, undefined],
  ])('%s', (_, files, expected) => {
    expect(revisionOf(files)).toBe(expected)
  })

  it('finds the repository above the workspace', () => {
    expect(revisionOf({ '.git/HEAD': A, 'packages/a/x': '' }, 'packages/a')).toBe(A)
  })

  it('sees a commit, a checkout and the removal of the repository', () => {
    const { root } = workspace()
    const vcs = openVcs(root)
    expect(vcs()).toBeUndefined()
    put(root, { '.git/HEAD': BRANCH, '.git/refs/heads/main': A })
    expect(vcs()).toEqual({ type: 'git', revision: A })
    put(root, { '.git/refs/heads/main.lock': B })
    renameSync(join(root, '.git/refs/heads/main.lock'), join(root, '.git/refs/heads/main'))
    expect(vcs()?.revision).toBe(B)
    put(root, { '.git/HEAD': `${LONG}` })
    expect(vcs()?.revision).toBe(LONG)
    rmSync(join(root, '.git'), { recursive: true })
    expect(vcs()).toBeUndefined()
  })
})
