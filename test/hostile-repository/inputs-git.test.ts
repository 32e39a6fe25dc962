import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { proposeLike, proposeScope } from '../../src/access/index.js'
import { filesIn } from '../../src/attest/subjects.js'
import { fileHistory, Git } from '../../src/git/index.js'
import { findGit, gitUser } from '../../src/os/git.js'
import { isKeptByGit } from '../../src/os/git-ignore.js'
import { PullRequest } from '../../src/pull-request/git-objects.js'
import { commitAll, git } from '../support/git.js'
import { hostileClone } from './inputs-kit.js'

/** A `.git` in the tree, or a directory that looks like a repository. A clone never contains a `.git`; an archive can. */

const FORGED = '[user]\n\tname = Forged\n'

/** A clone next to an unrelated repository of the same person. */
function cloneBesideRepository() {
  const clone = hostileClone()
  writeFileSync(join(clone.home, '.gitconfig'), '[user]\n\tname = Ada\n')
  const other = join(clone.root, '../other')
  mkdirSync(other)
  git(other, 'init', '-q')
  git(other, 'config', 'user.name', 'Somebody else')
  commitAll(other)
  const userName = () => gitUser(clone.root, { HOME: clone.home }).name
  return { clone, other, userName }
}

describe('a .git that points outside the tree', () => {
  it('is accepted if it is a worktree or a submodule that git made', () => {
    const { clone, other, userName } = cloneBesideRepository()
    const tree = join(clone.root, '../tree')
    git(other, 'worktree', 'add', '-q', tree)
    expect(findGit(tree)).toEqual({ own: join(other, '.git/worktrees/tree'), common: join(other, '.git') })
    git(clone.root, 'init', '-q')
    git(clone.root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other, 'sub')
    const own = join(clone.root, '.git/modules/sub')
    expect(findGit(join(clone.root, 'sub'))).toEqual({ own, common: own })
    expect(userName()).toBe('Ada')
  })

  it.each<[string, (root: string, other: string) => void]>([
    ['a file that names another repository', (root, other) => writeFileSync(`${root}/.git`, `gitdir: ${other}/.git\n`)],
    ['a file with a relative path to it', (root) => writeFileSync(`${root}/.git`, 'gitdir: ../other/.git\n')],
    [
      'a file that names the worktree of another tree',
      (root, other) => {
        git(other, 'worktree', 'add', '-q', `${root}/../tree`)
        writeFileSync(`${root}/.git`, `gitdir: ${other}/.git/worktrees/tree\n`)
      },
    ],
    [
      'a forged worktree whose common directory is the other repository',
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
  ])('%s is not a repository', (_, make) => {
    const { clone, other, userName } = cloneBesideRepository()
    make(clone.root, other)
    expect([findGit(clone.root), userName()]).toEqual([undefined, 'Ada'])
  })
})

describe('a repository in the tree', () => {
  it('is ignored if it is bare and embedded, in the workspace root or below', () => {
    const bare = { HEAD: 'ref: refs/heads/x\n', config: FORGED, 'objects/x': '', 'refs/x': '' }
    const { clone } = cloneBesideRepository()
    for (const [path, text] of Object.entries(bare)) for (const dir of ['.', 'sub']) clone.write(join(dir, path), text)
    for (const dir of [clone.root, join(clone.root, 'sub')])
      expect([findGit(dir), gitUser(dir, { HOME: clone.home }).name]).toEqual([undefined, 'Ada'])
  })

  it('configures programs for git, and no escrow command runs them', { timeout: 120_000 }, () => {
    const clone = hostileClone({ 'src/a.ts': 'a\n' })
    clone.write('tool', clone.canary, 0o755)
    git(clone.root, 'init', '-q')
    commitAll(clone.root)
    const tool = join(clone.root, 'tool')
    clone.write('.gitattributes', '* diff=x filter=x\n')
    clone.write('.git/hooks-of-tree/pre-commit', clone.canary, 0o755)
    for (const name of ['pre-commit', 'post-checkout', 'post-commit', 'reference-transaction', 'fsmonitor-watchman'])
      clone.write(`.git/hooks/${name}`, clone.canary, 0o755)
    clone.write('.git/config', `[core]\n${CORE_KEYS.map((key) => `\t${key} = ${tool}\n`).join('')}${SECTIONS(tool)}`)
    clone.write('.git/included', FORGED)
    clone.runModule(`const { openWorkspace } = await load('src/index.js')
      const workspace = await openWorkspace(process.cwd())
      await workspace.accept((await workspace.trust()).digest)
      const session = await workspace.session({ id: 's', agent: { model: 'm' } })
      await session.selectIntent('INT-001')
      session.fs.writeFileSync('src/a.ts', 'b\\n')
      await workspace.close()`)
    const statuses = [
      ['init', '--claude', '--yes', '--approval-by', 'any'],
      ['doctor'],
      ['status'],
      ['diff', 's'],
      ['approve', 's'],
      ['commit', 's'],
    ]
      .concat([['log'], ['blame', 'src/a.ts'], ['verify'], ['sessions'], ['stats']])
      .map((argv) => [argv[0], clone.escrow(argv).status])
    // `escrow` is not on PATH: the hook uses the launcher that init wrote.
    expect(statuses).toEqual(statuses.map(([name]) => [name, 0]))
    expect(clone.startedPrograms()).toEqual([])
    expect(gitUser(clone.root, { HOME: clone.home }).name).not.toBe('Forged')
  })

  it('does not make the pull request check, which calls git, run its programs', () => {
    const clone = hostileClone({ 'src/a.ts': 'a\n' })
    clone.write('tool', clone.canary, 0o755)
    for (const dir of ['.', 'node_modules/.bin']) clone.write(join(dir, 'git'), clone.canary, 0o755)
    git(clone.root, 'init', '-q')
    commitAll(clone.root)
    clone.write('src/a.ts', 'b\n')
    clone.write('.gitattributes', '* diff=x filter=x\n')
    commitAll(clone.root)
    const tool = join(clone.root, 'tool')
    clone.write('.git/config', `[core]\n${CORE_KEYS.map((key) => `\t${key} = ${tool}\n`).join('')}${SECTIONS(tool)}`)
    const { PATH } = process.env
    process.env.PATH = `.:${clone.root}/node_modules/.bin:${PATH}`
    try {
      const request = new PullRequest(clone.root, 'HEAD~1', 'HEAD')
      expect(request.changed().map(({ path }) => path)).toEqual(['.gitattributes', 'src/a.ts'])
      request.trailers()
      request.ledgerCommits('src/a.ts')
    } finally {
      process.env.PATH = PATH
    }
    expect(clone.startedPrograms()).toEqual([])
  })
})

describe('a repository that lacks objects', () => {
  /** An archive with two commits, whose git would start a program of the tree to fetch a missing object. */
  function partialClone(...missing: string[]) {
    const clone = hostileClone({ 'src/a.ts': 'a\n' })
    clone.write('tool', clone.canary, 0o755)
    git(clone.root, 'init', '-q')
    commitAll(clone.root)
    clone.write('src/a.ts', 'b\n')
    commitAll(clone.root)
    const ids = missing.map((name) => git(clone.root, 'rev-parse', name).trim())
    for (const id of ids) rmSync(join(clone.root, '.git/objects', id.slice(0, 2), id.slice(2)))
    const remote = '[remote "origin"]\n\turl = ssh://elsewhere/x\n\tpromisor = true\n'
    const core = `[core]\n\trepositoryformatversion = 1\n\tsshCommand = ${join(clone.root, 'tool')}\n`
    clone.write('.git/config', `${core}[extensions]\n\tpartialClone = origin\n${remote}`)
    return clone
  }

  it('does not make git fetch them: for blame', () => {
    const clone = partialClone('HEAD~1:src/a.ts')
    expect(fileHistory(clone.root, 'src/a.ts').map(({ path }) => path)).toEqual(['src/a.ts'])
    expect(clone.startedPrograms()).toEqual([])
  })

  it('does not make git fetch them: for the scope of a new intent', () => {
    const clone = partialClone('HEAD^{tree}')
    proposeScope(clone.root)
    expect(() => proposeLike(clone.root, 'HEAD')).toThrow()
    expect(clone.startedPrograms()).toEqual([])
  })
})

/** Settings of a partial clone that allow a protocol by name, and name the program that serves it. */
const ALLOWED = (tool: string, root: string) => `[core]
\trepositoryformatversion = 1
[extensions]
\tpartialClone = origin
[protocol]
\tallow = always
[protocol "file"]
\tallow = always
[remote "origin"]
\turl = ${root}/.git
\tpromisor = true
\tuploadpack = ${tool};:
`

describe('a repository that lacks objects and allows git to fetch them from itself', () => {
  function allowing(missing: string) {
    const clone = hostileClone({ 'src/a.ts': 'a\n' })
    clone.write('tool', clone.canary, 0o755)
    git(clone.root, 'init', '-q')
    commitAll(clone.root)
    clone.write('src/a.ts', 'b\n')
    commitAll(clone.root)
    const id = git(clone.root, 'rev-parse', missing).trim()
    rmSync(join(clone.root, '.git/objects', id.slice(0, 2), id.slice(2)))
    clone.write('.git/config', ALLOWED(join(clone.root, 'tool'), clone.root))
    return { ...clone, id }
  }

  it('would make an unguarded git start its program', () => {
    const clone = allowing('HEAD~1:src/a.ts')
    expect(() => git(clone.root, 'cat-file', 'blob', clone.id)).toThrow()
    expect(clone.startedPrograms()).not.toEqual([])
  })

  it.each([
    ['blame', 'HEAD~1:src/a.ts', (root: string) => void fileHistory(root, 'src/a.ts')],
    ['a content', 'HEAD~1:src/a.ts', (root: string, id: string) => void new Git(root).blob(id)],
    ['the scope of a new intent', 'HEAD^{tree}', (root: string) => void proposeScope(root)],
    ['a scope like that of a commit', 'HEAD^{tree}', (root: string) => void proposeLike(root, 'HEAD')],
    ['a pull request', 'HEAD~1:src/a.ts', (root: string) => void new PullRequest(root, 'HEAD~1', 'HEAD').changed()],
    ['an attestation', 'HEAD:src/a.ts', (root: string) => void filesIn(root, 'HEAD').find('src/a.ts')],
    ['ignored files', 'HEAD^{tree}', (root: string) => void isKeptByGit(root, 'src/a.ts')],
  ])('starts nothing for %s', (_, missing, command) => {
    const clone = allowing(missing)
    try {
      command(clone.root, clone.id)
    } catch {
      // It lacks the object.
    }
    expect(clone.startedPrograms()).toEqual([])
  })
})

const CORE_KEYS = ['fsmonitor', 'pager', 'editor', 'sshCommand', 'askPass', 'gitProxy', 'alternateRefsCommand']

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
