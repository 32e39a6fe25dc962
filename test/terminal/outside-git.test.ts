import fs, { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openWorkspace } from '../../src/index.js'
import { tempDir, treeOf } from '../support/facade.js'
import { commitAll, git, initRepository } from '../support/git.js'
import { trust } from '../support/trust.js'
import { startSession } from '../support/workspace.js'

const AS = 'export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@b.c GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@b.c'
const INTENTS = 'active_intents:\n  - { id: INT-001, name: Everything, status: IN_PROGRESS, owned_scope: ["**"] }\n'

/** The paths of a workspace and its repository, below a temporary directory. */
interface Layout {
  readonly root: string
  readonly gitDir: string
}

function repositoryIn(dir: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(`${dir}/${path}`), { recursive: true })
    writeFileSync(`${dir}/${path}`, text)
  }
  initRepository(dir)
}

const SOURCES = { 'src/a': 'a\n', 'src/b': 'b\n' }

const LAYOUTS: Readonly<Record<string, (dir: string) => Layout>> = {
  'a linked worktree'(dir) {
    repositoryIn(`${dir}/main`, SOURCES)
    git(`${dir}/main`, 'worktree', 'add', '-q', '-b', 'linked', `${dir}/linked`)
    return { root: `${dir}/linked`, gitDir: `${dir}/main/.git` }
  },
  "a directory below the repository's top"(dir) {
    repositoryIn(`${dir}/top`, {
      'other/x': 'x\n',
      'app/.gitignore': '.orchestration/\n',
      'app/src/a': 'a\n',
      'app/src/b': 'b\n',
    })
    return { root: `${dir}/top/app`, gitDir: `${dir}/top/.git` }
  },
  'a submodule'(dir) {
    repositoryIn(`${dir}/module`, SOURCES)
    repositoryIn(`${dir}/above`, { x: 'x\n' })
    git(`${dir}/above`, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', `${dir}/module`, 'module')
    commitAll(`${dir}/above`)
    return { root: `${dir}/above/module`, gitDir: `${dir}/above/.git/modules/module` }
  },
}

async function open(name: string) {
  const { path, dispose } = tempDir()
  const layout = LAYOUTS[name]?.(path) ?? expect.unreachable(name)
  const { root } = layout
  mkdirSync(`${root}/.orchestration`)
  writeFileSync(`${root}/.orchestration/active_intents.yaml`, INTENTS)
  git(root, 'config', 'user.name', 'Ada')
  git(root, 'config', 'user.email', 'ada@example.org')
  trust(root)
  const workspace = await openWorkspace(root)
  onTestFinished(async () => {
    await workspace.close()
    dispose()
  })
  const session = await startSession(workspace)
  const sh = (script: string) => session.exec(`${AS}; set -e; ${script}`)
  return { ...layout, dir: path, workspace, session, sh }
}

async function land({ workspace, session }: Awaited<ReturnType<typeof open>>) {
  const review = await workspace.review(session.id)
  await review.changes()
  await review.approve(undefined, { name: 'Ann', email: 'ann@example.org' })
  return review.commit({ git: { per: 'proposal' } })
}

const subjects = (root: string) => git(root, 'log', '--reverse', '--format=%s', 'HEAD').trimEnd().split('\n')

describe.each(Object.keys(LAYOUTS))("the agent's own git in %s", (name) => {
  it('commits, is kept for the next command, leaves the repository unchanged and lands', async () => {
    const at = await open(name)
    const before = git(at.gitDir, 'for-each-ref')
    const result = await at.sh('echo 2 > src/a; git commit -qam "Change a"; git switch -qc topic; git switch -q -')
    expect([result.stderr, result.refused]).toEqual(['', []])
    expect(result.commits?.map(({ message, paths }) => [message, paths])).toEqual([['Change a', ['src/a']]])
    const next = await at.sh(
      'git log -1 --format=%s; git status --porcelain .; echo 2 > src/b; git commit -qam "Change b"',
    )
    expect(next.stdout).toBe('Change a\n')
    expect(next.commits?.map(({ message }) => message)).toEqual(['Change a', 'Change b'])
    expect(git(at.gitDir, 'for-each-ref')).toBe(before)
    await land(at)
    expect(subjects(at.root).slice(-2)).toEqual(['Change a', 'Change b'])
    expect(git(at.root, 'status', '--porcelain', '.')).toBe('')
    const after = await at.sh('git log -1 --format=%s; git status --porcelain .')
    expect(after.stdout).toBe('Change b\n')
  })

  it('can be amended, rebased and stashed, and loses no name that a git directory has', async () => {
    const at = await open(name)
    await at.sh('git switch -qc topic; echo 2 > src/a; git commit -qam One; git commit -q --amend -m Two')
    await at.sh('git switch -q -; echo 3 > src/b; git commit -qam Base; git switch -q topic; git rebase -q -')
    await at.sh('echo 4 > src/b; git stash -q; git stash pop -q; git pack-refs --all; git checkout -q -- src/b')
    const { stdout } = await at.sh('git log --format=%s -2; git fsck --strict; git branch --format="%(refname:short)"')
    expect(stdout.split('\n').slice(0, 2)).toEqual(['Two', 'Base'])
    expect(stdout).toContain('topic')
  })

  it('reports a rebase that a command has left in progress', async () => {
    const at = await open(name)
    const { sh } = at
    await sh(
      'git switch -qc topic; echo 2 > src/a; git commit -qam One; git switch -q -; echo 3 > src/a; git commit -qam Two',
    )
    const { summary } = await sh('git switch -q topic; git rebase -q - || true')
    expect(summary).toContain(
      "A rebase is in progress in this session's git. To end it: git rebase --continue, or --abort.",
    )
    expect((await sh('git rebase --abort')).summary).not.toContain('in progress')
  })

  it('writes nothing of the git directory to disk, whatever it changes there', async () => {
    const at = await open(name)
    chmodSync(at.gitDir, 0o755)
    const before = treeOf(fs, at.gitDir)
    const { refused } = await at.sh(`
      git config core.fsmonitor "touch ran"; cd "$(git rev-parse --git-common-dir)"
      mkdir -p hooks; printf "#!/bin/sh\\ntouch ran\\n" > hooks/post-checkout; chmod +x hooks/post-checkout
      rm -f HEAD description; echo x > config.lock; ln -s /etc/passwd link; rm -rf logs; mkdir logs; echo y > logs/y`)
    // Without this HEAD git finds a linked worktree, and no other repository.
    const isDamaged = name !== 'a linked worktree'
    expect(refused.map(({ reason }) => reason)).toEqual(['protected_path', ...(isDamaged ? ['unsupported'] : [])])
    expect(treeOf(fs, at.gitDir)).toEqual(before)
    expect(readdirSync(at.root)).not.toContain('ran')
  })
})

it('a .git file that names a repository which does not name it back gives no access to that repository', async () => {
  const { path, dispose } = tempDir()
  onTestFinished(dispose)
  repositoryIn(`${path}/other`, SOURCES)
  mkdirSync(`${path}/claim/.orchestration`, { recursive: true })
  writeFileSync(`${path}/claim/.git`, `gitdir: ${path}/other/.git\n`)
  writeFileSync(`${path}/claim/.orchestration/active_intents.yaml`, INTENTS)
  trust(`${path}/claim`)
  const workspace = await openWorkspace(`${path}/claim`)
  const session = await startSession(workspace)
  const { exitCode } = await session.exec(`echo x > ${path}/other/.git/x`)
  await workspace.close()
  expect(exitCode).not.toBe(0)
  expect(existsSync(`${path}/other/.git/x`)).toBe(false)
})
