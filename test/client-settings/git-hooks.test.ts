import { chmodSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { applyGitHooks, GIT_HOOKS, gitHooksIn, planGitHooks } from '../../src/client-settings/git-hooks.js'
import { tempDir } from '../support/facade.js'
import { git } from '../support/git.js'

function repository() {
  const { path: root, dispose } = tempDir()
  onTestFinished(dispose)
  git(root, 'init', '-q')
  const file = (hook: string) => join(root, '.git/hooks', hook)
  const write = (hook: string, text: string | Uint8Array, mode = 0o755) => {
    writeFileSync(file(hook), text)
    chmodSync(file(hook), mode)
  }
  const plans = (remove = false) => planGitHooks(root, { remove }) ?? expect.unreachable()
  const apply = (remove = false) => applyGitHooks(plans(remove))
  return { root, file, write, plans, apply, text: (hook: string) => readFileSync(file(hook), 'utf8') }
}

/** The lines that escrow adds to a person's hook. */
const BLOCK = /^# >>> escrow: .*\n[\s\S]*?^# <<< escrow <<<\n/gm

const problems = ({ plans }: ReturnType<typeof repository>) =>
  plans().flatMap(({ hook, obstacle }) => (obstacle === undefined ? [] : [`${hook}: ${obstacle}`]))

describe('the git hooks', () => {
  it('are created executable, and removed again', () => {
    const at = repository()
    at.apply()
    for (const hook of GIT_HOOKS) expect([hook, statSync(at.file(hook)).mode & 0o777]).toEqual([hook, 0o755])
    expect(gitHooksIn(at.root)).toEqual({ present: [...GIT_HOOKS], missing: [] })
    expect(at.plans().every(({ before, after }) => before === after)).toBe(true)
    at.apply(true)
    expect(GIT_HOOKS.filter((hook) => existsSync(at.file(hook)))).toEqual([])
    expect(gitHooksIn(at.root)).toEqual({ present: [], missing: [...GIT_HOOKS] })
  })

  it.each([
    ['a script', "#!/bin/sh\necho 'mine'\nexit 0\n", 0o755],
    ['a script without a last line feed', '#!/usr/bin/env bash\nset -eu\ncat', 0o700],
    ['a script of one line', '#!/bin/sh -e\n', 0o755],
    ['one that looks like ours', '#!/bin/sh\nescrow adopt --hook post-rewrite\n', 0o755],
  ])('are added to %s of a person, and removal restores every byte of it', (_, script, mode) => {
    const at = repository()
    at.write('post-rewrite', script, mode)
    at.apply()
    const entered = at.text('post-rewrite')
    expect(entered.match(BLOCK)).toEqual([expect.stringContaining('adopt --hook post-rewrite "$@"')])
    expect([entered.replace(BLOCK, ''), statSync(at.file('post-rewrite')).mode & 0o777]).toEqual([script, mode])
    at.apply()
    expect(at.text('post-rewrite')).toBe(entered)
    at.apply(true)
    expect([at.text('post-rewrite'), statSync(at.file('post-rewrite')).mode & 0o777]).toEqual([script, mode])
  })

  it('leave a hook alone that is not a shell script, and say why', () => {
    const at = repository()
    at.write('post-rewrite', '#!/usr/bin/python3\nprint(1)\n')
    at.write('post-merge', '#!/bin/sh\ntrue\n', 0o644)
    at.write('post-checkout', Buffer.from('#!/bin/sh\necho \xff\n', 'latin1'))
    symlinkSync('/bin/true', at.file('post-commit'))
    expect(problems(at)).toEqual([
      'post-rewrite: it is not a script of a shell',
      'post-merge: it is not executable, so git does not run it',
      'post-checkout: it is not text',
      'post-commit: it is not a plain file',
    ])
    at.apply()
    expect(at.text('post-rewrite')).toBe('#!/usr/bin/python3\nprint(1)\n')
    expect(gitHooksIn(at.root)?.present).toEqual([])
  })

  it('are not added if another program manages them, but are found there', () => {
    const at = repository()
    at.apply()
    git(at.root, 'config', 'core.hooksPath', '.husky')
    expect(problems(at)).toHaveLength(4)
    const line = at.plans()[0]?.line ?? ''
    expect(line).toContain('escrow adopt --hook post-rewrite "$@"')
    git(at.root, 'init', '-q', '.husky')
    writeFileSync(join(at.root, '.husky/post-rewrite'), `#!/bin/sh\n${line}\n`)
    expect(gitHooksIn(at.root)?.present).toEqual(['post-rewrite'])
    at.apply(true)
    expect(GIT_HOOKS.filter((hook) => existsSync(at.file(hook)))).toEqual([])
    expect(existsSync(join(at.root, '.husky/post-rewrite'))).toBe(true)
  })

  it('are those of the whole repository in a worktree, and name a workspace below its top', () => {
    const at = repository()
    git(at.root, 'commit', '-q', '--allow-empty', '-m', 'begin')
    git(at.root, 'worktree', 'add', '-q', '--detach', join(at.root, 'other'))
    expect(planGitHooks(join(at.root, 'other'))?.[0]?.path).toBe(at.file('post-rewrite'))
    expect(planGitHooks(join(at.root, "it's here"))?.[0]?.after).toContain("escrow -C 'it'\\''s here' adopt --hook")
  })

  it('do not exist without a repository', () => {
    const { path, dispose } = tempDir()
    onTestFinished(dispose)
    expect([planGitHooks(path), gitHooksIn(path)]).toEqual([undefined, undefined])
  })
})
