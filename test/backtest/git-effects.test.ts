import { mkdirSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { Replay } from '../../src/backtest/replay.js'
import type { ExecResult } from '../../src/core/exec-api.js'
import { git } from '../support/git.js'
import { PROVIDERS, withProvider } from '../support/providers.js'
import { site } from '../terminal/site.js'
import { claudeLine, histories, readAll } from './history.js'

/** Commands that write below `.git`, or do not, with the outcome of a live run. */
const COMMANDS: readonly (readonly [command: string, outcome: string])[] = [
  // A removed or replaced repository, and hooks: refused.
  ['rm -rf .git', 'refused'],
  ['rm -r ./.git && echo x > src/new', 'refused'],
  ['mv .git old', 'refused'],
  ['cd src && rm -rf ../.git', 'refused'],
  ["sh -c 'rm -rf .git'", 'refused'],
  ['echo x > .git/hooks/pre-commit', 'refused'],
  ['cp src/a .git/hooks/post-merge', 'refused'],
  ['ln -s ../../src/a .git/hooks/pre-push', 'refused'],
  ['printf x | tee .git/hooks/pre-commit', 'refused'],
  ['touch .git/hooks/commit-msg && chmod +x .git/hooks/commit-msg', 'refused'],
  ['rm -rf .git/hooks', 'refused'],
  ['git init -q sub', 'refused'],
  ['mkdir lib && git -C lib init -q .', 'refused'],
  ['git worktree add -q tree', 'refused'],
  ['rm -rf nested/.git', 'refused'],
  ['git -C nested config user.name Ada', 'refused'],
  ['echo x >> nested/.git/config', 'refused'],
  // The session's own copy of the repository: kept, with nothing to review.
  ['git config user.name Ada', 'allowed'],
  ['git config core.hooksPath hooks', 'allowed'],
  ['git config --unset core.bare', 'allowed'],
  ['git init -q', 'allowed'],
  ['git add src', 'allowed'],
  ['git reset -q', 'allowed'],
  ['git tag v1', 'allowed'],
  ['git branch topic', 'allowed'],
  ['git switch -qc topic', 'allowed'],
  ['git checkout -q -b topic', 'allowed'],
  ['git remote add origin ../shop', 'allowed'],
  ['git gc -q', 'allowed'],
  ['git restore --staged src/a', 'allowed'],
  ['git rm -q --cached src/b', 'allowed'],
  ['git worktree add -q "$TMPDIR/tree"', 'allowed'],
  ['echo x >> .git/config', 'allowed'],
  ['echo x > .git/description', 'allowed'],
  ["sed -i 's/true/false/' .git/config", 'allowed'],
  ['rm -f .git/index.lock', 'allowed'],
  ['rm -f .git/hooks/pre-commit.sample', 'allowed'],
  ['chmod -R u+w .git', 'allowed'],
  ['touch .git', 'allowed'],
  ['cat .git/config', 'allowed'],
  ['git status', 'allowed'],
  // Files of the working tree and commits: for the review.
  ['git config user.name Ada > note', 'staged'],
  ['cp .git/config note', 'staged'],
  ['echo x >> src/a && git -c user.name=A -c user.email=a@b.c commit -qam Change', 'staged'],
  ['git rm -q src/b', 'staged'],
  ['git mv src/b src/c', 'staged'],
  ['echo x > .gitignore', 'staged'],
  ['rm -rf src', 'staged'],
]

function outcomeOf({ refused, effects, commits = [], gitRefs = [] }: ExecResult): string {
  if (refused.length > 0) return 'refused'
  return effects.all.length + commits.length + gitRefs.length > 0 ? 'staged' : 'allowed'
}

describe.each(PROVIDERS)('a live run, in %s', (name) => {
  withProvider(name)

  it.each(COMMANDS)('%s: %s', async (command, outcome) => {
    const { root, session } = await site({ 'src/a': 'a\n', 'src/b': 'b\n' })
    git(root, 'init', '-q', '-b', 'main')
    mkdirSync(`${root}/nested`)
    git(`${root}/nested`, 'init', '-q')
    writeFileSync(`${root}/.git/info/exclude`, 'nested\n')
    git(root, 'add', 'src')
    git(root, 'commit', '-q', '-m', 'Start')
    const result = await session.exec(command)
    expect(result.exitCode, result.stderr).toBe(0)
    expect(outcomeOf(result), result.summary).toBe(outcome)
  })
})

describe('a backtest', () => {
  it.each(COMMANDS)('%s: %s', async (command, outcome) => {
    const { calls } = readAll(histories({ 'a.jsonl': [claudeLine('Bash', { command })] }))
    const replay = new Replay({})
    const [decided] = await Promise.all(calls.map((call) => replay.decide(call)))
    expect(decided?.outcome).toBe(outcome)
  })
})
