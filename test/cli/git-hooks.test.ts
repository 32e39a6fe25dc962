import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { openWorkspace } from '../../src/index.js'
import { installLauncher } from '../../src/surface/index.js'
import { compileOnce } from '../support/compiled.js'
import { git } from '../support/git.js'
import { testWorkspace } from '../support/workspace.js'
import { escrowAt } from './real.js'

const text = (...lines: readonly string[]) => lines.map((line) => `${line}\n`).join('')
const BEGIN = ['function first(a, b) {', '  return a + b', '}', '']
const ONE = ['function second(c) {', '  return null', '}', '']
const TWO = ['function third(d) {', '  return null', '}', '']

beforeAll(() => installLauncher(join(compileOnce(), 'src/cli/main.js')))

/** A repository with the hooks, where two agents work on a branch. */
async function repository() {
  const at = testWorkspace({ 'src/a.ts': text(...BEGIN) })
  const run = (...args: string[]) => git(at.root, ...args)
  run('init', '-q', '-b', 'main')
  at.write('.gitignore', '.orchestration/\n')
  run('add', '-A')
  run('commit', '-q', '-m', 'begin', '--date=2020-01-02T03:04:05Z')
  expect((await escrowAt(at.root, ['init', '--git', '--yes'])).code).toBe(0)
  const agent = async (id: string, content: string) => {
    const workspace = await at.open()
    const session = await workspace.session({ id, agent: { model: id, tool: 'tester' } })
    await session.selectIntent('INT-001')
    session.fs.writeFileSync('src/a.ts', content)
    const review = await workspace.review(id)
    await review.approve(undefined, { name: 'Ann' })
    await review.commit({ git: {} })
    await workspace.close()
  }
  const collect = () => {
    run('reflog', 'expire', '--expire=now', '--all')
    run('gc', '-q', '--prune=now')
  }
  run('checkout', '-q', '-b', 'feature')
  await agent('m-1', text(...BEGIN, ...ONE))
  await agent('m-2', text(...TWO, ...BEGIN, ...ONE))
  const old = run('rev-parse', 'HEAD').trim()
  return { ...at, run, agent, collect, old }
}

async function authors(root: string): Promise<string[]> {
  const workspace = await openWorkspace(root)
  const lines = await workspace.ledger.blame('src/a.ts')
  await workspace.close()
  return lines.map(({ contributor, model }) => model ?? contributor)
}

const BOTH = [...TWO.map(() => 'm-2'), ...BEGIN.map(() => 'unknown'), ...ONE.map(() => 'm-1')]
const notes = (run: (...args: string[]) => string) => run('notes', '--ref=ai', 'list').trim().split('\n')

describe('with the hooks of git', () => {
  it('lines keep their authors through rebase -i with a squash, once git removed the old commits', async () => {
    const { root, run, collect, old } = await repository()
    run('-c', 'sequence.editor=sed -i 2s/pick/squash/', '-c', 'core.editor=true', 'rebase', '-q', '-i', 'main')
    expect(notes(run)).toHaveLength(1)
    collect()
    expect(() => run('cat-file', '-e', old)).toThrow()
    expect(await authors(root)).toEqual(BOTH)
  })

  it('lines keep their authors through an amended commit', async () => {
    const { root, run, write, collect } = await repository()
    write('src/a.ts', text(...TWO, ...BEGIN, ...ONE, 'const mine = "a line of a person"'))
    run('commit', '-q', '-a', '--amend', '-m', 'amended')
    expect(notes(run)).toHaveLength(1)
    collect()
    expect(await authors(root)).toEqual([...BOTH, 'human'])
  })

  it('lines keep their authors through merge --squash, and the next commit alone is noted', async () => {
    const { root, run, write, collect } = await repository()
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

  it('a pull of what a forge squashed is noted, and a plain merge needs no note', async () => {
    const { root, run } = await repository()
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

  it('a hook of a person runs with its input, and git succeeds where escrow fails', async () => {
    const { root, run } = await repository()
    const hook = join(root, '.git/hooks/post-rewrite')
    expect((await escrowAt(root, ['init', '--git', '--remove', '--yes'])).code).toBe(0)
    writeFileSync(hook, `#!/bin/sh -e\ncat >> '${root}/.git/seen'\nexit 0\n`)
    chmodSync(hook, 0o755)
    expect((await escrowAt(root, ['init', '--git', '--yes'])).code).toBe(0)
    run('commit', '-q', '--amend', '-m', 'amended')
    expect(notes(run)).toHaveLength(1)
    expect(run('-C', '.git', 'cat-file', '--batch-check', '--batch-all-objects')).toContain('commit')
    writeFileSync(join(root, '.orchestration/agent_trace.jsonl'), 'not a ledger\nat all\n')
    const { stderr, status } = tried(root, ['commit', '-q', '--amend', '-m', 'again'])
    expect([status, stderr]).toEqual([0, expect.stringMatching(/^escrow: the authors of lines were not noted: .*\n$/)])
    writeFileSync(join(root, '.orchestration/agent_trace.jsonl'), '')
  })
})

function tried(root: string, args: string[]): { status: number; stderr: string } {
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-c', 'commit.gpgsign=false']
  const shell = execFileSync('sh', ['-c', 'git "$@" 2>&1 >/dev/null; echo "status $?"', 'sh', ...identity, ...args], {
    cwd: root,
    encoding: 'utf8',
  })
  const [, stderr = '', status] = /^([\s\S]*)status (\d+)\n$/.exec(shell) ?? []
  return { status: Number(status), stderr }
}
