import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { layoutAt } from '../../src/os/workspace-state.js'
import { git } from '../support/git.js'
import { PROVIDERS, withProvider } from '../support/providers.js'
import { site } from '../terminal/site.js'

const AS =
  'export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@b.c GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@b.c GIT_EDITOR=true'

/** A workspace that is a repository with one commit, and a way to run shell lines in its session. */
async function repository() {
  const fixture = await site({ 'src/a': 'a\n', 'src/b': 'b\n' })
  git(fixture.root, 'init', '-q', '-b', 'main')
  git(fixture.root, 'add', 'src')
  git(fixture.root, 'commit', '-q', '-m', 'Start')
  const sh = (script: string) => fixture.session.exec(`${AS}; set -e; ${script}`)
  return { ...fixture, sh }
}

/** Changes if any file below the person's `.git` does. */
function digestOf(dir: string): string {
  const hash = createHash('sha256')
  const walk = (path: string) => {
    const stats = lstatSync(path)
    hash.update(`${path} ${stats.mode} ${stats.mtimeMs}\0`)
    if (stats.isDirectory()) for (const name of readdirSync(path).sort()) walk(join(path, name))
    else hash.update(stats.isSymbolicLink() ? readlinkSync(path) : readFileSync(path))
  }
  walk(join(dir, '.git'))
  return hash.digest('hex')
}

const subjects = (commits: readonly { readonly message: string }[] = []) =>
  commits.map(({ message }) => message.split('\n')[0])

const OPERATIONS: readonly (readonly [string, string, readonly string[]])[] = [
  ['add and commit', 'echo 2 > src/a; git add src; git commit -q -m One', ['One']],
  ['amend', 'echo 2 > src/a; git commit -qam One; echo 3 > src/a; git commit -qa --amend -m Two', ['Two']],
  [
    'switch and merge',
    'git switch -qc t; echo 2 > src/a; git commit -qam T; git switch -q main; git merge -q t',
    ['T'],
  ],
  [
    'merge with a merge commit',
    'git switch -qc t; echo 2 > src/a; git commit -qam T; git switch -q main; echo 2 > src/b; git commit -qam M; git merge -q -m J t',
    ['M', 'T', 'J'],
  ],
  [
    'rebase',
    'git switch -qc t; echo 2 > src/a; git commit -qam T; git switch -q main; echo 2 > src/b; git commit -qam M; git switch -q t; git rebase -q main',
    ['M', 'T'],
  ],
  [
    'rebase -i',
    'for n in 1 2 3; do echo $n >> src/a; git commit -qam $n; done; GIT_SEQUENCE_EDITOR="sed -i -e \'2s/pick/fixup/\'" git rebase -qi HEAD~3',
    ['1', '3'],
  ],
  [
    'cherry-pick',
    'git switch -qc t; echo 2 > src/a; git commit -qam T; git switch -q main; git cherry-pick t >&2',
    ['T'],
  ],
  ['reset --hard', 'echo 2 > src/a; git commit -qam One; git reset -q --hard HEAD~1', []],
  ['revert', 'echo 2 > src/a; git commit -qam One; git revert --no-edit HEAD >&2', ['One', 'Revert "One"']],
  ['stash', 'echo 2 > src/a; git stash -q; git stash pop -q; git commit -qam One', ['One']],
  ['gc', 'echo 2 > src/a; git commit -qam One; git gc -q', ['One']],
  [
    'log and worktree',
    'git worktree add -q "$TMPDIR/w"; cd "$TMPDIR/w"; echo 2 > src/a; git commit -qam One; git log -1 --format=%s',
    [],
  ],
]

/**
 * Git behaves the same everywhere. On copies we only try commands that replace, remove and pack files of the
 * repository.
 */
const ON_COPIES = ['add and commit', 'rebase -i', 'stash', 'gc', 'log and worktree']

const POLL = { timeout: 20_000 }

describe.each(PROVIDERS)("the session's own git, in %s", (name) => {
  withProvider(name)

  const tried = OPERATIONS.filter(([operation]) => name === 'namespace-overlay' || ON_COPIES.includes(operation))
  it.each(tried)(
    "runs %s on private data, and the person's repository stays unchanged",
    async (_, script, expected) => {
      const { sh, root } = await repository()
      const before = digestOf(root)
      const result = await sh(script)
      expect(result.stderr).not.toContain('fatal')
      expect(result.exitCode).toBe(0)
      expect(subjects(result.commits).sort()).toEqual([...expected].sort())
      expect(result.refused).toEqual([])
      expect(digestOf(root)).toBe(before)
      expect(git(root, 'status', '--porcelain', 'src')).toBe('')
    },
  )

  it('exists for the later commands of the session, in any process', async () => {
    const { sh, workspace, session } = await repository()
    await sh('git switch -qc topic; echo 2 > src/a; git commit -qam One; echo 3 > src/b; git stash -q')
    const seen = 'git log --format=%s; git branch --show-current; git stash list --format=%s; cat src/a src/b'
    const expected = /^One\nStart\ntopic\nWIP on topic: .*\n2\nb\n$/
    expect((await sh(seen)).stdout).toMatch(expected)
    const running = await session.start(['sh', '-c', seen])
    await running.wait()
    expect(running.read().text).toMatch(expected)
    await session.close()
    const again = await workspace.session({ id: session.id })
    await again.selectIntent('INT-001')
    expect((await again.exec(seen)).stdout).toMatch(expected)
    const popped = await again.exec(`${AS}; git stash pop -q && git commit -qam Two`)
    expect(subjects(popped.commits)).toEqual(['One', 'Two'])
  })

  it.each([
    ['git mv src/a src/c', 'R  src/a -> src/c'],
    ['git rm -q src/a', 'D  src/a'],
    ['git rm -q --cached src/a', 'D  src/a\n?? src/a'],
    ['git update-index --chmod=+x src/a', 'MM src/a'],
  ])('keeps what %s staged, although it changed nothing else in .git', async (script, staged) => {
    const { sh } = await repository()
    const status = 'git status --porcelain -uall -- src'
    const { stdout } = await sh(`${script}; ${status}`)
    expect(stdout.trimEnd()).toBe(staged)
    expect((await sh(status)).stdout.trimEnd()).toBe(staged)
    expect(subjects((await sh('git commit -q -m Staged')).commits)).toEqual(['Staged'])
  })

  it('does not begin with a command that only refreshes the index', async () => {
    const { sh, root, session } = await repository()
    const ran = await sh(
      'touch -d 2001-01-01 src/a; cp .git/index before; git status --porcelain src; cmp -s before .git/index || echo refreshed; rm before',
    )
    expect([ran.stdout, ran.stderr]).toEqual(['refreshed\n', ''])
    expect(existsSync(layoutAt(root).session(session.id).git)).toBe(false)
  })

  it.each([
    ['only refreshes the index', 'touch -d 2001-01-01 src/a; git status --porcelain'],
    ['stages something', 'echo 2 > src/a; git add src/a; git reset -q --hard'],
  ])('undoes no commit that a person makes while a command runs that %s', async (_, script) => {
    const { root, session, sh, write } = await repository()
    const running = await session.start(['sh', '-c', `${script}; echo ready; sleep 1000`])
    await expect.poll(() => running.read().text, POLL).toContain('ready')
    write('src/b', 'of Ada\n')
    git(root, 'commit', '-qam', 'By Ada')
    await running.stop()
    const { stdout } = await sh('git log -1 --format=%s; git status --porcelain src')
    expect(stdout).toBe('By Ada\n')
  })

  it('says that HEAD has moved while a command made a commit', async () => {
    const { root, session, sh, write } = await repository()
    const script = `${AS}; echo 2 > src/a; git commit -qam One; echo ready; sleep 1000`
    const running = await session.start(['sh', '-c', script])
    await expect.poll(() => running.read().text, POLL).toContain('ready')
    write('src/b', 'of Ada\n')
    git(root, 'commit', '-qam', 'By Ada')
    expect(subjects((await running.stop()).commits)).toEqual(['One'])
    const id = git(root, 'rev-parse', 'HEAD').slice(0, 10)
    expect((await sh('echo 3 > src/a; git commit -qam Two')).summary).toContain(
      `HEAD of the repository on disk is now ${id}.`,
    )
  })

  it('names refs that are not on the current branch', async () => {
    const { sh } = await repository()
    const { gitRefs, summary } = await sh(
      'git switch -qc other; echo 2 > src/a; git commit -qam Lost; git tag v1; git switch -q main; echo 3 > src/b; git stash -q; git branch same',
    )
    expect(gitRefs?.map(({ ref, subject }) => [ref, subject])).toEqual([
      ['refs/heads/other', 'Lost'],
      ['refs/stash', expect.stringMatching(/^WIP on main/)],
      ['refs/tags/v1', 'Lost'],
    ])
    expect(summary).toContain("kept in this session's git: branch other, stash, tag v1")
  })

  it('restarts at a new HEAD if it has no commits of its own', async () => {
    const { sh, root, write } = await repository()
    await sh('echo 2 > src/a; git add src; git reset -q --hard')
    write('src/b', 'of Ada\n')
    git(root, 'commit', '-qam', 'By Ada')
    const { stdout } = await sh('git log -1 --format=%s; git status --porcelain src')
    expect(stdout).toBe('By Ada\n')
  })

  it('keeps its branch if HEAD has moved, and says how to take the new commits', async () => {
    const { sh, root, write } = await repository()
    await sh('echo 2 > src/a; git commit -qam One')
    write('src/b', 'of Ada\n')
    git(root, 'commit', '-qm', 'By Ada', '--', 'src/b')
    const id = git(root, 'rev-parse', 'HEAD').slice(0, 10)
    const { summary } = await sh('echo more >> src/a; git commit -qam Two')
    expect(summary).toContain(`HEAD of the repository on disk is now ${id}.`)
    const { commits, summary: after } = await sh(`git stash -q || :; git rebase -q ${id}; git log --format=%s`)
    expect(subjects(commits)).toEqual(['One', 'Two'])
    expect(after).not.toContain('HEAD of the repository')
  })

  it('moves to the new HEAD if that has the same files', async () => {
    const { sh, root, write } = await repository()
    await sh('echo 2 > src/a; git commit -qam One')
    write('src/a', '2\n')
    git(root, 'commit', '-qam', 'One, landed')
    expect((await sh('git log --format=%s; echo 3 > src/a; git commit -qam Two')).stdout).toBe('One, landed\nStart\n')
  })

  it("stays on its branch, whatever branch the person's HEAD names", async () => {
    const { sh, root } = await repository()
    await sh('echo 2 > src/a; git commit -qam One')
    git(root, 'switch', '-qc', 'feature')
    const { stdout } = await sh('git status -sb -- src; git log --format=%s; git log -g --format=%gs')
    expect(stdout).toBe('## main\nOne\nStart\ncommit: One\ncommit (initial): Start\n')
    const { commits } = await sh('echo 3 > src/a; git commit -qam Two')
    expect(subjects(commits)).toEqual(['One', 'Two'])
  })

  it.each([
    ['a stash', 'echo 2 > src/a; git stash -q'],
    ['a tag', 'git tag v1'],
    ['another branch', 'git switch -qc t; echo 2 > src/a; git commit -qam T; git switch -q main'],
  ])("does not take back a person's commit on the branch of a session that has only %s", async (_, script) => {
    const { sh, root, write } = await repository()
    await sh(script)
    write('src/b', 'of Ada\n')
    git(root, 'commit', '-qam', 'By Ada')
    const id = git(root, 'rev-parse', 'HEAD').slice(0, 10)
    const { stdout, summary } = await sh('git log -1 --format=%s; git status --porcelain src')
    expect(stdout).toBe('Start\n M src/b\n')
    expect(summary).toContain(`'git rebase ${id}' takes the new commits into it.`)
    const { stdout: after } = await sh(
      `git checkout -q src/b; git rebase -q ${id}; git log -1 --format=%s; git status --porcelain src`,
    )
    expect(after).toBe('By Ada\n')
  })

  it('does not hide the new objects of a person after it has packed its own', async () => {
    const { sh, root, write } = await repository()
    // Then the objects of the next commit are in directories that git removes when it packs.
    for (let file = 0; file < 600; file++) write(`many/${file}`, `${file}\n`)
    git(root, 'add', 'many')
    git(root, 'commit', '-qm', 'Many')
    await sh('echo 2 > src/a; git commit -qam One; git gc -q')
    write('src/b', 'of Ada\n')
    git(root, 'commit', '-qm', 'By Ada', '--', 'src/b')
    const id = git(root, 'rev-parse', 'HEAD').trim()
    const { stdout } = await sh(`git checkout -q src/b; git rebase -q ${id}; git log -3 --format=%s; git fsck --full`)
    expect(stdout).toBe('One\nBy Ada\nMany\n')
  })

  it("does not take part in a person's merge", async () => {
    const { sh, root, write } = await repository()
    await sh('echo 2 > src/a; git commit -qam One')
    git(root, 'switch', '-qc', 'other')
    write('src/b', 'of Ada\n')
    git(root, 'commit', '-qam', 'By Ada')
    git(root, 'switch', '-q', 'main')
    git(root, 'merge', '-q', '--no-commit', '--no-ff', 'other')
    expect((await sh('git status')).stdout).not.toContain('merging')
    const { commits } = await sh(
      'echo 3 > src/a; git commit -qm Two src/a; git log --merges --format=%s; git merge -q --no-edit other || git merge --abort',
    )
    expect(subjects(commits)).toEqual(['One', 'Two'])
  })

  it('is one file in the directory of the session, and is removed with it', async () => {
    const { sh, root, session } = await repository()
    const { dir, git: file } = layoutAt(root).session(session.id)
    await sh('git log')
    expect(existsSync(file)).toBe(false)
    await sh('echo 2 > src/a; git commit -qam One')
    expect(lstatSync(file).isFile()).toBe(true)
    expect(dirname(file)).toBe(dir)
  })

  it.each(['echo broken > .git/HEAD', 'rm .git/HEAD', 'echo "[broken" >> .git/config'])(
    'undoes %s, and keeps the commits and the files',
    async (damage) => {
      const { sh, session } = await repository()
      await sh('echo 2 > src/a; git commit -qam One')
      const { refused, exitCode } = await sh(`echo new > src/new; ${damage}`)
      expect([exitCode, refused]).toEqual([
        0,
        [{ path: '.git', reason: 'unsupported', message: expect.stringContaining('git state from before') }],
      ])
      expect((await sh('git log --format=%s')).stdout).toBe('One\nStart\n')
      expect(session.fs.readFileSync('src/new', 'utf8')).toBe('new\n')
      expect(subjects((await sh('git add src; git commit -qm Two')).commits)).toEqual(['One', 'Two'])
    },
  )

  it('refuses to remove the repository, and shows it again', async () => {
    const { sh } = await repository()
    const { refused } = await sh('rm -rf .git')
    expect(refused.map(({ path, reason }) => [path, reason])).toEqual([['.git', 'protected_path']])
    expect((await sh('git log --format=%s')).stdout).toBe('Start\n')
  })
})
