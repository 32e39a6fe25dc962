import { mkdirSync } from 'node:fs'
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

/** Tags and branches are kept in the session: no review shows them. */
function outcomeOf({ refused, effects, commits = [] }: ExecResult): string {
  if (refused.length > 0) return 'refused'
  return effects.changes.length + commits.length > 0 ? 'staged' : 'allowed'
}

/** A repository with one commit, and another one below it. */
async function repository() {
  const fixture = await site({ 'src/a': 'a\n', 'src/b': 'b\n' })
  git(fixture.root, 'init', '-q', '-b', 'main')
  mkdirSync(`${fixture.root}/nested`)
  git(`${fixture.root}/nested`, 'init', '-q')
  git(fixture.root, 'add', 'src')
  git(fixture.root, 'commit', '-q', '-m', 'Start')
  return fixture
}

describe.each(PROVIDERS)('a live run, in %s', (name) => {
  withProvider(name)

  it('has the outcomes of the table', async () => {
    const { workspace } = await repository()
    const outcomes: [string, string][] = []
    for (const [at, [command]] of COMMANDS.entries()) {
      const session = await workspace.session({ id: `command-${at}` })
      await session.selectIntent('INT-001')
      const result = await session.exec(command)
      outcomes.push([command, result.exitCode === 0 ? outcomeOf(result) : result.stderr])
      await session.close()
    }
    expect(outcomes).toEqual(COMMANDS)
  })
})

/** The commands, each with the outcome of a backtest. */
async function backtest(calls: readonly { command: string; cwd?: string }[]): Promise<string[][]> {
  const lines = calls.map(({ command, cwd = '/home/ada/shop' }) => claudeLine('Bash', { command }, { cwd }))
  const replay = new Replay({})
  const found: string[][] = []
  for (const recorded of readAll(histories({ 'a.jsonl': lines })).calls) {
    const { call, outcome } = await replay.decide(recorded)
    found.push([call.command ?? '', outcome])
  }
  return found
}

describe('a backtest', () => {
  it('has the same outcomes', async () => {
    expect(await backtest(COMMANDS.map(([command]) => ({ command })))).toEqual(COMMANDS)
  })

  it('resolves relative paths against the directory of the call', async () => {
    const outcomes = await backtest([
      { command: 'git status', cwd: '/home/ada/shop' },
      { command: 'rm -rf ../.git', cwd: '/home/ada/shop/src' },
      { command: 'rm -rf ../.git', cwd: '/home/ada/shop' },
      { command: 'rm -rf /home/ada/shop/.git', cwd: '/home/ada' },
      { command: 'git init', cwd: '/home/ada/shop/src' },
      { command: 'git init /home/ada/shop', cwd: '/home/ada/shop/src' },
      { command: 'rm -rf "$HOME"/.git', cwd: '/home/ada/shop' },
      { command: 'cd "$HOME" && rm -rf .git', cwd: '/home/ada/shop' },
      { command: 'git worktree add /home/ada/tree', cwd: '/home/ada/shop' },
      { command: 'git worktree add -b topic tree', cwd: '/home/ada/shop' },
    ])
    expect(outcomes.map(([, outcome]) => outcome)).toEqual([
      'allowed',
      'refused',
      'staged',
      'refused',
      'refused',
      'allowed',
      'staged',
      'staged',
      'allowed',
      'refused',
    ])
  })

  it.each([
    'git config user.name Ada; ./build.sh',
    'git config user.name Ada; sh build.sh',
    'git config -f notes.ini a.b c',
    'git add src && npm run deploy',
    'git stash',
    'git reset --hard HEAD~1',
    'git restore src/a',
    'git restore --staged --worktree src/a',
    'git checkout -b topic main~3',
    'git checkout -- src/a',
    'git apply x.patch',
    'git init --bare shop.git',
    'git frobnicate',
    'git add "$(cat list | tee copy)"',
  ])('stages a change that a review shows, or that is not understood: %s', async (command) => {
    expect(await backtest([{ command }])).toEqual([[command, 'staged']])
  })

  it('names the rule, and asks first if policy says so', async () => {
    const replay = new Replay({ policy: 'terminal: { classes: { destructive: ask } }\n' })
    const { calls } = readAll(
      histories({
        'a.jsonl': ['rm -rf .git', 'echo x > .git/hooks/pre-commit'].map((command) => claudeLine('Bash', { command })),
      }),
    )
    const decided = await Promise.all(calls.map((call) => replay.decide(call)))
    expect(decided.map(({ outcome, rule }) => [outcome, rule])).toEqual([
      ['asked', 'destructive'],
      ['refused', 'protected'],
    ])
  })
})
