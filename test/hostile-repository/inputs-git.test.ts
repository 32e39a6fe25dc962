import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pullRequest } from '../../examples/ci-check/pull-request.mjs'
import { findGit, gitUser } from '../../src/os/git.js'
import { commitAll, git } from '../support/git.js'
import { hostileClone } from './inputs-kit.js'

/** What lies in a tree as `.git`, or looks like a repository. A clone brings no `.git`; an archive does. */

const FORGED = '[user]\n\tname = Forged\n'

/** A clone beside a repository of the same person's that it has no business with. */
function beside() {
  const clone = hostileClone()
  writeFileSync(join(clone.home, '.gitconfig'), '[user]\n\tname = Ada\n')
  const other = join(clone.root, '../other')
  mkdirSync(other)
  git(other, 'init', '-q')
  git(other, 'config', 'user.name', 'Somebody else')
  commitAll(other)
  const name = () => gitUser(clone.root, { HOME: clone.home }).name
  return { clone, other, name }
}

describe('a .git that leads out of the tree', () => {
  it('is a worktree’s or a submodule’s as git makes them, and counts', () => {
    const { clone, other, name } = beside()
    const tree = join(clone.root, '../tree')
    git(other, 'worktree', 'add', '-q', tree)
    expect(findGit(tree)).toEqual({ own: join(other, '.git/worktrees/tree'), common: join(other, '.git') })
    git(clone.root, 'init', '-q')
    git(clone.root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other, 'sub')
    const own = join(clone.root, '.git/modules/sub')
    expect(findGit(join(clone.root, 'sub'))).toEqual({ own, common: own })
    expect(name()).toBe('Ada')
  })

  it.each<[string, (root: string, other: string) => void]>([
    ['a file that names another repository', (root, other) => writeFileSync(`${root}/.git`, `gitdir: ${other}/.git\n`)],
    ['a relative one', (root) => writeFileSync(`${root}/.git`, 'gitdir: ../other/.git\n')],
    [
      'a file that names the worktree of another tree',
      (root, other) => {
        git(other, 'worktree', 'add', '-q', `${root}/../tree`)
        writeFileSync(`${root}/.git`, `gitdir: ${other}/.git/worktrees/tree\n`)
      },
    ],
    [
      'a worktree of the tree’s own making, which names the other repository as what it shares',
      (root, other) => {
        mkdirSync(`${root}/fake/worktrees/x`, { recursive: true })
        writeFileSync(`${root}/.git`, 'gitdir: fake/worktrees/x\n')
        writeFileSync(`${root}/fake/worktrees/x/gitdir`, `${root}/.git\n`)
        writeFileSync(`${root}/fake/worktrees/x/commondir`, `${other}/.git\n`)
        writeFileSync(`${root}/fake/worktrees/x/HEAD`, 'ref: refs/heads/master\n')
      },
    ],
    ['a link', (root, other) => symlinkSync(`${other}/.git`, `${root}/.git`)],
    [
      'the submodule of another tree',
      (root, other) => {
        git(root, 'init', '-q')
        git(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other, 'sub')
        renameSync(`${root}/.git`, `${root}/../kept`)
        writeFileSync(`${root}/.git`, 'gitdir: ../kept/modules/sub\n')
      },
    ],
  ])('%s is no repository', (_, make) => {
    const { clone, other, name } = beside()
    make(clone.root, other)
    expect([findGit(clone.root), name()]).toEqual([undefined, 'Ada'])
  })
})

describe('a repository in the tree', () => {
  it('that is bare and embedded is none, wherever the workspace is', () => {
    const bare = { HEAD: 'ref: refs/heads/x\n', config: FORGED, 'objects/x': '', 'refs/x': '' }
    const { clone } = beside()
    for (const [path, text] of Object.entries(bare)) for (const dir of ['.', 'sub']) clone.write(join(dir, path), text)
    for (const dir of [clone.root, join(clone.root, 'sub')])
      expect([findGit(dir), gitUser(dir, { HOME: clone.home }).name]).toEqual([undefined, 'Ada'])
  })

  it('names what git runs, and no command of escrow runs it', { timeout: 120_000 }, () => {
    const clone = hostileClone({ 'src/a.ts': 'a\n' })
    clone.write('tool', clone.canary, 0o755)
    git(clone.root, 'init', '-q')
    commitAll(clone.root)
    const tool = join(clone.root, 'tool')
    clone.write('.gitattributes', '* diff=x filter=x\n')
    clone.write('.git/hooks-of-tree/pre-commit', clone.canary, 0o755)
    for (const name of ['pre-commit', 'post-checkout', 'post-commit', 'reference-transaction', 'fsmonitor-watchman'])
      clone.write(`.git/hooks/${name}`, clone.canary, 0o755)
    clone.write('.git/config', `[core]\n${EVERY.map((key) => `\t${key} = ${tool}\n`).join('')}${SECTIONS(tool)}`)
    clone.write('.git/included', FORGED)
    clone.call(`const { openWorkspace } = await load('src/index.js')
      const workspace = await openWorkspace(process.cwd())
      await workspace.accept((await workspace.trust()).digest)
      const session = await workspace.session({ id: 's', agent: { model: 'm' } })
      await session.selectIntent('INT-001')
      session.fs.writeFileSync('src/a.ts', 'b\\n')
      await workspace.close()`)
    const ran = [
      ['init', '--claude', '--yes', '--approval-by', 'any'],
      ['doctor'],
      ['status'],
      ['diff', 's'],
      ['approve', 's'],
      ['commit', 's'],
    ]
      .concat([['log'], ['blame', 'src/a.ts'], ['verify'], ['sessions'], ['stats']])
      .map((argv) => [argv[0], clone.escrow(argv).status])
    // There is no `escrow` on PATH: the launcher that init made runs the hook that was entered.
    expect(ran).toEqual(ran.map(([name]) => [name, 0]))
    expect(clone.started()).toEqual([])
    expect(gitUser(clone.root, { HOME: clone.home }).name).not.toBe('Forged')
  })

  it('is not obeyed by the check of a pull request, which asks git', () => {
    const clone = hostileClone({ 'src/a.ts': 'a\n' })
    clone.write('tool', clone.canary, 0o755)
    for (const dir of ['.', 'node_modules/.bin']) clone.write(join(dir, 'git'), clone.canary, 0o755)
    git(clone.root, 'init', '-q')
    commitAll(clone.root)
    clone.write('src/a.ts', 'b\n')
    clone.write('.gitattributes', '* diff=x filter=x\n')
    commitAll(clone.root)
    const tool = join(clone.root, 'tool')
    clone.write('.git/config', `[core]\n${EVERY.map((key) => `\t${key} = ${tool}\n`).join('')}${SECTIONS(tool)}`)
    const { PATH } = process.env
    process.env.PATH = `.:${clone.root}/node_modules/.bin:${PATH}`
    try {
      const request = pullRequest({ cwd: clone.root, base: 'HEAD~1', head: 'HEAD' })
      expect(request.changed().map(({ path }) => path)).toEqual(['.gitattributes', 'src/a.ts'])
      request.trailers()
      request.ledgerCommits('src/a.ts')
    } finally {
      process.env.PATH = PATH
    }
    expect(clone.started()).toEqual([])
  })
})

const EVERY = ['fsmonitor', 'pager', 'editor', 'sshCommand', 'askPass', 'gitProxy', 'alternateRefsCommand']

const SECTIONS = (tool: string) => `\thooksPath = hooks-of-tree
[diff]
\texternal = ${tool}
[diff "x"]
\ttextconv = ${tool}
\tcommand = ${tool}
[filter "x"]
\tclean = ${tool}
\tsmudge = ${tool}
\tprocess = ${tool}
[log]
\tshowSignature = true
[gpg]
\tprogram = ${tool}
[credential]
\thelper = ${tool}
[sequence]
\teditor = ${tool}
[include]
\tpath = included
[includeIf "gitdir:**"]
\tpath = included
`
