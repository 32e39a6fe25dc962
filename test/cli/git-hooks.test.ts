import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { installLauncher } from '../../src/surface/index.js'
import { authors, BEGIN, ONE, repository, TWO, text } from '../git/kit.js'
import { compileOnce } from '../support/compiled.js'
import { tempDir } from '../support/facade.js'
import { tryGit } from '../support/git.js'
import { escrowAt } from './real.js'

// The hooks start the launcher of the state directory, and other suites run `escrow init` with a launcher of their own.
const state = tempDir()
beforeAll(() => {
  vi.stubEnv('XDG_STATE_HOME', state.path)
  installLauncher(join(compileOnce(), 'src/cli/main.js'))
})
afterAll(() => {
  vi.unstubAllEnvs()
  state.dispose()
})

/** A repository with the hooks, where two agents work on a branch. */
async function setUpGitHooks() {
  const at = repository()
  expect((await escrowAt(at.root, ['init', '--git', '--yes'])).code).toBe(0)
  at.run('checkout', '-q', '-b', 'feature')
  await at.agent('m-1', text(BEGIN, ONE))
  await at.agent('m-2', text(TWO, BEGIN, ONE))
  return { ...at, old: at.id('HEAD') }
}

const BOTH = [...TWO.map(() => 'ai m-2 Ann'), ...BEGIN.map(() => 'unknown'), ...ONE.map(() => 'ai m-1 Ann')]
const notes = (run: (...args: string[]) => string) => run('notes', '--ref=ai', 'list').trim().split('\n')

describe('with git hooks', () => {
  it('lines keep their authors through rebase -i with a squash, after git removed the old commits', async () => {
    const { root, run, collect, old } = await setUpGitHooks()
    run('-c', 'sequence.editor=sed -i 2s/pick/squash/', '-c', 'core.editor=true', 'rebase', '-q', '-i', 'main')
    expect(notes(run)).toHaveLength(1)
    collect()
    expect(() => run('cat-file', '-e', old)).toThrow()
    expect(await authors(root)).toEqual(BOTH)
  })

  it('lines keep their authors through an amended commit', async () => {
    const { root, run, write, collect } = await setUpGitHooks()
    write('src/a.ts', text(TWO, BEGIN, ONE, 'const mine = "a line of a person"'))
    run('commit', '-q', '-a', '--amend', '-m', 'amended')
    expect(notes(run)).toHaveLength(1)
    collect()
    expect(await authors(root)).toEqual([...BOTH, 'human'])
  })

  it('lines keep their authors through merge --squash, and the next commit alone is noted', async () => {
    const { root, run, write, collect } = await setUpGitHooks()
    run('checkout', '-q', 'main')
    run('merge', '-q', '--squash', 'feature')
    expect(existsSync(join(root, '.git/escrow-squash'))).toBe(true)
    run('commit', '-q', '-m', 'A pull request (#1)')
    expect(existsSync(join(root, '.git/escrow-squash'))).toBe(false)
    run('branch', '-q', '-D', 'feature')
    write('README.md', 'more\n')
    run('add', 'README.md')
    run('commit', '-q', '-m', 'more')
    expect(notes(run)).toHaveLength(1)
    collect()
    expect(await authors(root)).toEqual(BOTH)
  })

  it("a pull of a forge's squash commit is noted, and a plain merge needs no note", async () => {
    const { root, run } = await setUpGitHooks()
    run('checkout', '-q', '--detach', 'main')
    run('merge', '-q', '--squash', 'feature')
    run('-c', 'core.hooksPath=/dev/null', 'commit', '-q', '-m', 'A pull request (#1)')
    const forge = run('rev-parse', 'HEAD').trim()
    run('checkout', '-q', 'main')
    run('merge', '-q', '--ff-only', forge)
    expect(notes(run)).toEqual([expect.stringContaining(forge)])
    run('merge', '-q', '--no-edit', 'feature')
    expect(notes(run)).toHaveLength(1)
    expect(await authors(root)).toEqual(BOTH)
  })

  it("a person's own hook runs with its input, and git succeeds if escrow fails", async () => {
    const { root, run } = await setUpGitHooks()
    const hook = join(root, '.git/hooks/post-rewrite')
    expect((await escrowAt(root, ['init', '--git', '--remove', '--yes'])).code).toBe(0)
    writeFileSync(hook, `#!/bin/sh -e\ncat >> '${root}/.git/seen'\nexit 0\n`)
    chmodSync(hook, 0o755)
    expect((await escrowAt(root, ['init', '--git', '--yes'])).code).toBe(0)
    run('commit', '-q', '--amend', '-m', 'amended')
    expect(notes(run)).toHaveLength(1)
    expect(run('-C', '.git', 'cat-file', '--batch-check', '--batch-all-objects')).toContain('commit')
    writeFileSync(join(root, '.orchestration/agent_trace.jsonl'), 'not a ledger\nat all\n')
    const { stderr, status } = tryGit(root, 'commit', '-q', '--amend', '-m', 'again')
    expect([status, stderr]).toEqual([
      0,
      expect.stringMatching(/^escrow: the authors of lines were not recorded: .*\n$/),
    ])
    writeFileSync(join(root, '.orchestration/agent_trace.jsonl'), '')
  })
})
