import { chmodSync, existsSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { ContainmentName } from '../../src/core/protection.js'
import { escrowAt } from '../cli/real.js'
import { git, initEmptyRepository } from '../support/git.js'
import { PROVIDERS, withProvider } from '../support/providers.js'
import { site } from '../terminal/site.js'

const AS =
  'export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@b.c GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@b.c GIT_EDITOR=true'

async function repository() {
  const fixture = await site({ 'src/a': 'a\n', 'src/b': 'b\n', '.gitignore': '.orchestration/\n' })
  initEmptyRepository(fixture.root)
  git(fixture.root, 'add', '-A')
  git(fixture.root, 'commit', '-q', '-m', 'Start')
  const sh = (script: string) => fixture.session.exec(`${AS}; set -e; ${script}`)
  return { ...fixture, sh }
}

type Repository = Awaited<ReturnType<typeof repository>>

async function land({ workspace, session }: Repository, paths?: readonly string[]) {
  const review = await workspace.review(session.id)
  await review.changes()
  await review.approve(paths === undefined ? undefined : [...paths], { name: 'Ann', email: 'ann@example.org' })
  return review.commit({ git: { per: 'proposal' } })
}

const subjects = (root: string) => git(root, 'log', '--reverse', '--format=%s', 'HEAD').trimEnd().split('\n')

describe.each(PROVIDERS)("the agent's own git history, in %s", (name) => {
  withProvider(name)

  it('with a branch, a rebase and an amend lands as the agent left it', async () => {
    const at = await repository()
    const { sh, root, session } = at
    await sh('git switch -qc topic; echo 2 > src/a; git commit -qam "Change a"')
    await sh('git switch -q main; echo 2 > src/b; git commit -qam "Change b"')
    await sh('git switch -q topic; git rebase -q main; echo new > src/c; git add src; git commit -qm "Add d"')
    await sh('git commit -q --amend -m "Add c"; git switch -q main; git merge -q --ff-only topic')
    const status = await escrowAt(root, ['status'])
    expect(status.out).toMatch(/Proposed git commits[\s\S]*Change b +1 file[\s\S]*Change a +1 file[\s\S]*Add c +1 file/)
    expect(status.out).not.toContain('Add d')
    const diff = await escrowAt(root, ['diff', session.id])
    expect(diff.out).toContain('proposes the git commit "Change a": src/a')
    expect(diff.out).toContain('proposes the git commit "Add c": src/c')
    await land(at)
    expect(subjects(root)).toEqual(['Start', 'Change b', 'Change a', 'Add c'])
    expect(git(root, 'show', '--format=', '--name-only', 'HEAD~1').trim()).toBe('src/a')
    expect(git(root, 'status', '--porcelain')).toBe('')
    // The session continues from the committed state.
    const { stdout, commits } = await sh(
      'git log -1 --format=%s; git status --porcelain; echo 3 > src/a; git commit -qam Next',
    )
    expect(stdout).toBe('Add c\n')
    expect(commits?.map(({ message }) => message)).toEqual(['Next'])
    await land(at)
    expect(subjects(root)).toEqual(['Start', 'Change b', 'Change a', 'Add c', 'Next'])
  })

  it('keeps the proposals that were not approved for a later commit', async () => {
    const at = await repository()
    await at.sh('echo 2 > src/a; git commit -qam "Change a"; echo 2 > src/b; git commit -qam "Change b"')
    await land(at, ['src/b'])
    expect(subjects(at.root)).toEqual(['Start', 'Change b'])
    const status = await escrowAt(at.root, ['status'])
    expect(status.out).toMatch(/Proposed git commits[\s\S]*Change a +1 file/)
    expect(status.out).not.toContain('Change b')
    await land(at)
    expect((await escrowAt(at.root, ['status'])).out).not.toContain('Proposed')
    expect(subjects(at.root)).toEqual(['Start', 'Change b', 'Change a'])
  })

  it('lands a file that several commits changed with the last of them, which names the others', async () => {
    const at = await repository()
    await at.sh('echo 2 > src/a; git commit -qam "First of a"; echo 3 > src/a; git commit -qam "Second of a"')
    await land(at)
    expect(subjects(at.root)).toEqual(['Start', 'Second of a'])
    expect(git(at.root, 'log', '-1', '--format=%b')).toContain('- First of a')
  })

  it('that is on another branch can be exported as a bundle', async () => {
    const at = await repository()
    await at.sh('git switch -qc topic; echo 2 > src/a; git commit -qam Topic; git switch -q main')
    const bundled = await at.session.exec('git bundle create -q src/x.bundle refs/heads/topic')
    expect(bundled.exitCode).toBe(0)
    await land(at)
    git(at.root, 'fetch', '-q', 'src/x.bundle', 'refs/heads/topic:refs/heads/agent/topic')
    expect(git(at.root, 'log', '-1', '--format=%s', 'agent/topic').trim()).toBe('Topic')
  })
})

/** Lines by which the agent's git state would start `ran`, which creates a file outside of the workspace or in it. */
const TRAPS: readonly (readonly [name: string, script: string])[] = [
  ['core.fsmonitor', 'git config core.fsmonitor "touch RAN; false"'],
  [
    'core.hooksPath',
    'mkdir -p src/h; printf "#!/bin/sh\\ntouch RAN\\n" > src/h/post-commit; chmod +x src/h/post-commit; cp src/h/post-commit src/h/reference-transaction; git config core.hooksPath src/h',
  ],
  ['an alias', 'git config alias.up "!touch RAN"; git config alias.status "!touch RAN"'],
  [
    'a filter',
    'git config filter.x.clean "touch RAN; cat"; git config filter.x.smudge "touch RAN; cat"; echo "* filter=x" > .git/info/attributes',
  ],
  ['diff.external', 'git config diff.external "touch RAN"; git config diff.x.textconv "touch RAN"'],
  ['core.sshCommand', 'git config core.sshCommand "touch RAN"; git config remote.origin.url ssh://x/y'],
  ['core.pager', 'git config core.pager "touch RAN"; git config pager.log "touch RAN"'],
  ['credential.helper', 'git config credential.helper "!touch RAN"'],
  ['gpg.program', 'git config commit.gpgSign true; git config gpg.program "touch RAN"'],
  ['core.editor', 'git config core.editor "touch RAN"; git config sequence.editor "touch RAN"'],
  [
    'includeIf',
    'printf "[core]\\n fsmonitor = touch RAN; false\\n" > .git/more; git config includeIf.gitdir:/.path more',
  ],
  ['a hook', 'printf "#!/bin/sh\\ntouch RAN\\n" > .git/hooks/reference-transaction; chmod +x .git/hooks/*'],
  ['a merge driver', 'git config merge.x.driver "touch RAN"; echo "* merge=x" > .git/info/attributes'],
  ['an alternate', 'mkdir -p .git/objects/info; echo /nowhere/objects > .git/objects/info/alternates'],
]

/** Git follows the same settings everywhere, so on copies we only try those that a plain commit, status or log uses. */
function trapsIn(provider: ContainmentName): typeof TRAPS {
  const plain = ['core.fsmonitor', 'core.hooksPath', 'a filter', 'a hook']
  return provider === 'namespace-overlay' ? TRAPS : TRAPS.filter(([name]) => plain.includes(name))
}

describe.each(PROVIDERS)("the settings and hooks of the agent's git, in %s", (name) => {
  withProvider(name)

  it.each(trapsIn(name))('never start anything outside of the containment: %s', async (_, script) => {
    const at = await repository()
    const { root, sh, session, workspace } = at
    const mark = `${root}/../${root.split('/').pop()}-ran`
    await sh(`echo 2 > src/a; git commit -qam One; ${script.replaceAll('RAN', mark)}`)
    const config = git(root, 'config', '--local', '--list')
    // A later command of the session, whose own git follows its settings: it cannot write the mark.
    await session.exec('git status; git log; git diff HEAD~1')
    expect(existsSync(mark)).toBe(false)
    await land(at)
    git(root, 'status')
    git(root, 'log', '-p', '-1')
    git(root, 'commit', '-q', '--allow-empty', '-m', 'By Ada')
    expect(existsSync(mark)).toBe(false)
    expect(git(root, 'config', '--local', '--list')).toBe(config)
    expect(readdirSync(`${root}/.git/hooks`).filter((name) => !name.endsWith('.sample'))).toEqual([])
    expect(subjects(root).slice(0, 2)).toEqual(['Start', 'One'])
    await workspace.sessions()
  })

  it('include no hook for later commands: hooks are refused', async () => {
    const { sh } = await repository()
    const { refused } = await sh(
      'printf "#!/bin/sh\\nexit 1\\n" > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit',
    )
    expect(refused.map(({ path, reason }) => [path, reason])).toEqual([['.git', 'protected_path']])
    expect((await sh('ls .git/hooks; echo 2 > src/a; git commit -qam One')).exitCode).toBe(0)
  })

  it("leave the person's hooks unchanged, which run contained for the agent's commits", async () => {
    const { sh, root, write } = await repository()
    write('.git/hooks/pre-commit', '#!/bin/sh\necho checked > src/checked\n')
    chmodSync(`${root}/.git/hooks/pre-commit`, 0o755)
    const { effects } = await sh('echo 2 > src/a; git commit -qam One')
    expect(effects.changes.map(({ path }) => path)).toEqual(['src/a', 'src/checked'])
    expect(existsSync(`${root}/src/checked`)).toBe(false)
  })
})
