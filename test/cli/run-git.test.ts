import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { tempDir } from '../support/facade.js'
import { git, initRepository } from '../support/git.js'
import { runEscrow } from './real.js'

/** An agent that works with git on branches, as a person sees it: only by the command. */

const AGENT = `
export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@b.c GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@b.c GIT_EDITOR=true
git switch -qc topic
echo 2 > src/a && git commit -qam "Change a"
git switch -q main
echo 2 > src/b && git commit -qam "Change b"
git switch -q topic && git rebase -q main
echo draft > src/c && git stash -qu && git stash pop -q
git add src && git commit -qm "Add d" && git commit -q --amend -m "Add c"
git switch -q main && git merge -q --ff-only topic
git log --format=%s`

it('a branch and a rebase by git in `escrow run` are committed as the person saw them', () => {
  const { path, dispose } = tempDir()
  onTestFinished(dispose)
  const root = `${path}/shop`
  mkdirSync(`${root}/src`, { recursive: true })
  for (const name of ['a', 'b']) writeFileSync(`${root}/src/${name}`, '1\n')
  initRepository(root)
  git(path, 'init', '-q', '--bare', 'origin.git')
  git(root, 'remote', 'add', 'origin', `${path}/origin.git`)
  const env = Object.assign({}, process.env, { XDG_STATE_HOME: `${path}/state` })
  const escrow = (...args: string[]) => {
    const { status, stdout, stderr } = runEscrow(root, args, { env })
    expect([args, status, stderr]).toEqual([args, 0, expect.any(String)])
    return stdout
  }
  escrow('init', '--approval-by', 'any')
  escrow('intents', 'add', 'Everything', '--scope', 'src/**')
  const head = git(root, 'rev-parse', 'HEAD')

  const ran = escrow('run', '--session', 's', '--intent', 'INT-001', '--', 'sh', '-ec', AGENT)
  expect(ran).toContain('Add c\nChange a\nChange b\n')
  const pushed = runEscrow(root, ['run', '--session', 's', '--', 'git', 'push', 'origin', 'main'], { env })
  expect([pushed.status, pushed.stderr]).toEqual([1, expect.stringContaining('needs_approval')])
  // Nothing has reached the repository, nor its remote.
  expect(git(root, 'rev-parse', 'HEAD')).toBe(head)
  expect(git(root, 'branch', '--format=%(refname:short)')).toBe('main\n')
  expect(git(`${path}/origin.git`, 'branch')).toBe('')
  expect(readFileSync(`${root}/src/a`, 'utf8')).toBe('1\n')

  const diff = escrow('diff', 's')
  for (const name of ['Change b', 'Change a', 'Add c']) expect(diff).toContain(`proposes the git commit "${name}"`)
  escrow('approve', 's', '--by', 'Ann <ann@example.org>')
  escrow('commit', 's', '--per', 'proposal')
  expect(git(root, 'log', '--reverse', '--format=%s', `${head.trim()}..HEAD`)).toBe('Change b\nChange a\nAdd c\n')
  expect(git(root, 'log', '-1', '--format=%(trailers:key=Reviewed-by)')).toContain('Ann <ann@example.org>')
  expect(git(root, 'status', '--porcelain', 'src')).toBe('')
})
