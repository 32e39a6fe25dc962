import fc from 'fast-check'

/** One step of a random history of a repository, by an agent or a person. */
export type Step =
  /** Shell lines of the agent, one command of its session. */
  | { readonly by: 'command'; readonly script: string }
  /** A call of the agent's tools. Without a text it removes the file. */
  | { readonly by: 'tool'; readonly path: string; readonly text?: string }
  /** The arguments of a person's git, or a person's new content of a file, on disk. */
  | { readonly by: 'person'; readonly args: readonly string[] }
  | { readonly by: 'person'; readonly path: string; readonly text: string }
  /** A person approves and commits everything. */
  | { readonly by: 'landing' }

export const FILES = {
  a: '1\n2\n3\n',
  b: '1\n',
  'd/c': '1\n',
  'd/e/f': '1\n2\n',
  '.gitignore': '*.log\n',
}

/** Brings the times in the index up to date. Few commands of git do not do it by themselves. */
const FRESH = 'git update-index -q --refresh;'

const tracked = fc.constantFrom('a', 'b', 'd/c', 'd/e/f')
const path = fc.oneof({ weight: 3, arbitrary: tracked }, fc.constantFrom('n', 'd/n', 'm/n', 'x.log', 'd/x.log'))
/** Often of one size, so that git has to tell them apart by their times. */
const text = fc.constantFrom('1', '2', '3', '4', '1\\n2\\n3\\n4', '')
const branch = fc.constantFrom('t', 'u', 'f/x', 'f/y')
const commitish = fc.oneof(branch, fc.constantFrom('main', 'HEAD~1', 'HEAD', 'v1', '@{1}'))

const write = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(text, path).map(([words, to]) => `printf '${words}\\n' > ${to}`) },
  fc.tuple(text, path).map(([words, to]) => `printf '${words}\\n' >> ${to}`),
  path.map((at) => `mkdir -p $(dirname ${at}); sed -i 1s/^/0/ ${at}`),
  path.map((at) => `rm -rf ${at}`),
  fc.tuple(fc.constantFrom('+x', '-x'), path).map(([mode, at]) => `chmod ${mode} ${at}`),
  fc.tuple(path, path).map(([target, at]) => `ln -sfn ${target} ${at}`),
  fc.constantFrom(
    'mkdir -p m',
    'rmdir m',
    'rm -rf d',
    'mkdir d; echo 5 > d/c',
    'touch -d 2001-01-01 a',
    'rm -rf d/e; echo 5 > d/e',
  ),
)

const index = fc.oneof(
  fc.constantFrom('git add -A', 'git add -u', 'git add -A; git reset -q', 'git stash list'),
  path.map((at) => `git add ${at}`),
  path.map((at) => `git add -f ${at}`),
  path.map((at) => `git add -N ${at}`),
  path.map((at) => `git diff -- ${at} > "$TMPDIR/p"; git apply --cached "$TMPDIR/p"`),
  fc.tuple(path, path).map(([from, to]) => `git mv ${from} ${to}`),
  fc.tuple(path, path).map(([from, to]) => `git mv -f ${from} ${to}`),
  path.map((at) => `git rm -q ${at}`),
  path.map((at) => `git rm -q --cached ${at}`),
  path.map((at) => `git rm -qrf ${at}`),
  fc.constant('git rm -qr d'),
  path.map((at) => `git restore ${at}`),
  path.map((at) => `git restore --staged ${at}`),
  fc.tuple(commitish, path).map(([from, at]) => `git restore -s ${from} -SW ${at}`),
  fc
    .tuple(fc.constantFrom('soft', 'mixed', 'hard', 'keep'), commitish)
    .map(([how, to]) => `git reset -q --${how} ${to}`),
  fc
    .tuple(
      fc.constantFrom(
        'chmod=+x',
        'assume-unchanged',
        'no-assume-unchanged',
        'skip-worktree',
        'no-skip-worktree',
        'force-remove',
      ),
      tracked,
    )
    .map(([flag, at]) => `git update-index --${flag} ${at}`),
  fc.constantFrom(
    'git update-index --refresh',
    'git update-index --split-index',
    'git update-index --index-version 4',
    'git update-index --untracked-cache',
    'git status',
    'git read-tree HEAD',
    'git read-tree -u --reset HEAD',
    `${FRESH} git apply --index "$TMPDIR/p"`,
    'git clean -qfd',
  ),
)

const commit = fc.constantFrom(
  'git commit -q -m M',
  'git commit -qam M',
  'git commit -qam M',
  'git add -A; git commit -q -m M',
  'git add -A; git commit -q -m M',
  'git commit -qa --amend -m M',
  'git commit -q --amend -m M',
  'git commit -q --allow-empty -m M',
  'git commit -q -m M a',
)

const history = fc.oneof(
  branch.map((name) => `git switch -qc ${name}`),
  branch.map((name) => `git checkout -qB ${name}`),
  commitish.map((name) => `git switch -q ${name}`),
  commitish.map((name) => `git checkout -q ${name}`),
  commitish.map((name) => `git checkout -qf ${name}`),
  commitish.map((name) => `git switch -q --detach ${name}`),
  fc.constant('git switch -q main'),
  branch.map((name) => `git branch ${name}`),
  branch.map((name) => `git branch -D ${name}`),
  fc.tuple(branch, branch).map(([from, to]) => `git branch -M ${from} ${to}`),
  branch.map((name) => `git switch -q --orphan ${name}`),
  fc
    .tuple(fc.constantFrom('', '--no-ff', '--squash', '--no-commit', '-X ours'), commitish)
    .map(([how, from]) => `git merge ${how} -m J ${from}`),
  commitish.map((onto) => `git rebase -q ${onto}`),
  fc.constant('GIT_SEQUENCE_EDITOR="sed -i 2s/pick/fixup/" git rebase -qi --root'),
  fc.constant('GIT_SEQUENCE_EDITOR="sed -i 1s/pick/edit/" git rebase -qi HEAD~1'),
  commitish.map((from) => `git cherry-pick ${from}`),
  commitish.map((from) => `git cherry-pick -n ${from}`),
  commitish.map((from) => `git revert --no-edit ${from}`),
  fc
    .tuple(fc.constantFrom('merge', 'rebase', 'cherry-pick', 'revert'), fc.constantFrom('abort', 'continue', 'quit'))
    .map(([what, how]) => `git ${what} --${how}`),
  fc.constantFrom('git rebase --skip', 'git add -A; git rebase --continue', 'git add -A; git commit -q --no-edit'),
  fc.constantFrom(
    'git stash -q',
    'git stash -q',
    'git stash -qu',
    'git stash -qk',
    'git stash pop -q',
    'git stash pop -q --index',
    'git stash apply -q',
    'git stash drop -q',
    'git stash clear',
    'git stash branch t',
  ),
)

const other = fc.oneof(
  fc.constantFrom(
    'git tag -f v1',
    'git tag -d v1',
    'git tag -f -a -m V v1',
    'git config user.x 1',
    'git config --unset user.x',
    'git notes add -f -m N',
    'git notes remove',
  ),
  fc.constantFrom(
    'git gc -q',
    'git gc -q --prune=now',
    'git pack-refs --all',
    'git repack -qad',
    'git prune',
    'git reflog expire --expire=now --all',
    'git commit-graph write --reachable',
  ),
  fc.constantFrom('set d', 'disable', 'set --no-cone a', 'reapply').map((how) => `${FRESH} git sparse-checkout ${how}`),
  fc.constantFrom(
    'git worktree add -q -f -B w "$TMPDIR/w"; cd "$TMPDIR/w" && echo 7 > a && git commit -qam W',
    'git worktree remove -f "$TMPDIR/w"',
    'git worktree prune',
    'git bisect start',
    'git bisect reset',
    'git rerere',
  ),
)

const line = fc.oneof(
  { weight: 4, arbitrary: write },
  { weight: 5, arbitrary: index },
  { weight: 4, arbitrary: commit },
  { weight: 6, arbitrary: history },
  { weight: 2, arbitrary: other },
)

const command = fc
  .oneof(
    { weight: 3, arbitrary: line },
    fc.array(line, { minLength: 2, maxLength: 4 }).map((lines) => lines.join('\n')),
  )
  .map((script): Step => ({ by: 'command', script }))

const plain = fc.constantFrom('1\n', '2\n', '3\n', '4\n')
const tool: fc.Arbitrary<Step> = fc.record(
  { by: fc.constant('tool' as const), path: tracked, text: plain },
  { requiredKeys: ['by', 'path'] },
)

const person: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ by: fc.constant('person' as const), path: fc.constantFrom('b', 'd/c', 'own'), text: plain }),
  fc
    .constantFrom(
      ['add', '-A'],
      ['commit', '-qam', 'P'],
      ['commit', '-qam', 'P'],
      ['commit', '-q', '--allow-empty', '-m', 'P'],
      ['switch', '-qc', 'p'],
      ['switch', '-q', 'p'],
      ['switch', '-q', 'main'],
      ['gc', '-q'],
      ['merge', '-q', '--no-commit', '--no-ff', 'p'],
    )
    .map((args): Step => ({ by: 'person', args })),
)

/** @param people whether a person works on the disk meanwhile, and lands the agent's work */
export function histories(people: boolean, length: number): fc.Arbitrary<Step[]> {
  const alone = [
    { weight: 8, arbitrary: command },
    { weight: 1, arbitrary: tool },
  ]
  const landing: fc.Arbitrary<Step> = fc.constant({ by: 'landing' })
  const together = [...alone, { weight: 4, arbitrary: person }, { weight: 1, arbitrary: landing }]
  return fc.array(fc.oneof(...(people ? together : alone)), { minLength: length, maxLength: length })
}
