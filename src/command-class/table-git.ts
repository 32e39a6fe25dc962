import { alike, atLeast, on, type Rule, type Table, table, word } from './rule.js'

const READS = 'only reads'
const WRITES = 'changes the repository or the working tree'
const DISCARDS = 'discards work that was not committed'
const LOSES = 'deletes what the repository kept'
const STARTS = 'starts another program'

const OUTPUT = [
  on('--output', 'write', 'writes files'),
  on('--ext-diff --textconv -O --open-files-in-pager', 'other', STARTS),
]

const SUBCOMMANDS: Table = table(
  alike(
    'status log diff show blame annotate shortlog describe rev-parse rev-list ls-files ls-tree merge-base name-rev grep ' +
      'count-objects whatchanged for-each-ref show-ref show-branch var version check-ignore check-attr check-mailmap ' +
      'diff-tree diff-index diff-files range-diff cherry verify-commit verify-tag merge-tree get-tar-commit-id column stripspace',
    'read-only',
    READS,
    { more: OUTPUT },
  ),
  alike('cat-file', 'read-only', READS, { more: [on('--filters --textconv', 'other', STARTS)] }),
  alike('fsck', 'read-only', READS, { more: [on('--lost-found', 'write', WRITES)] }),
  alike(
    'add commit merge cherry-pick revert switch am apply init notes mv stage format-patch bundle pack-refs repack update-index ' +
      'write-tree commit-tree hash-object mktag mktree read-tree sparse-checkout maintenance',
    'write',
    WRITES,
    { more: [on('-f --force --discard-changes --hard', 'destructive', DISCARDS)] },
  ),
  alike('commit', 'write', WRITES, { more: [on('--amend', 'destructive', 'replaces the last commit')] }),
  alike('add apply am init notes', 'write', WRITES),
  alike('rebase', 'write', WRITES, {
    more: [on('-x --exec', 'other', STARTS), on('-f --force-rebase', 'destructive', DISCARDS)],
  }),
  alike('reset', 'write', WRITES, { more: [on('--hard --merge --keep', 'destructive', DISCARDS)] }),
  alike('clean', 'destructive', 'deletes files git does not know', {
    less: [on('-n --dry-run -nd -ndx -nx -ndX', 'read-only', READS)],
  }),
  alike('checkout', 'destructive', 'may discard work that was not committed', {
    more: [on('-f --force -B --ours --theirs -p --patch', 'destructive', DISCARDS)],
    less: [on('-b --orphan', 'write', WRITES), word(/^[\w-]+$/, 'write', WRITES)],
  }),
  alike('restore', 'destructive', DISCARDS, {
    more: [on('-W --worktree', 'destructive', DISCARDS)],
    less: [on('--staged', 'write', WRITES)],
  }),
  alike('rm', 'destructive', 'deletes files'),
  alike('filter-branch filter-repo replace prune gc', 'destructive', LOSES),
  alike('update-ref symbolic-ref', 'write', WRITES, { more: [on('-d --delete --stdin', 'destructive', LOSES)] }),
  alike('branch', 'read-only', READS, {
    more: [
      on('-d -D --delete -M -C -f --force', 'destructive', LOSES),
      on('-m -c --move --copy -u --set-upstream-to --unset-upstream --edit-description', 'write', WRITES),
      atLeast(1, 'write', WRITES),
    ],
  }),
  alike('tag', 'read-only', READS, {
    more: [
      on('-d --delete -f --force', 'destructive', LOSES),
      on('-a -s -u -m -F', 'write', WRITES),
      atLeast(1, 'write', WRITES),
    ],
  }),
  alike('push', 'network', 'sends commits to another machine', {
    more: [
      on(
        '-f --force --force-with-lease --force-if-includes --mirror --prune -d --delete',
        'destructive',
        'replaces or deletes what others have',
      ),
      word(/^[+:]/, 'destructive', 'replaces or deletes what others have'),
      on('--receive-pack --exec', 'other', STARTS),
    ],
  }),
  alike(
    'fetch ls-remote send-email request-pull lfs svn p4 imap-send daemon credential',
    'network',
    'speaks with another machine',
    {
      more: [on('--upload-pack -u --exec', 'other', STARTS), on('-f --force -p --prune', 'destructive', LOSES)],
    },
  ),
  alike('archive', 'write', 'writes files', {
    more: [on('--remote', 'network', 'speaks with another machine'), on('--exec', 'other', STARTS)],
  }),
  alike('clone pull', ['network', 'write'], 'takes commits from another machine', {
    more: [
      on('-c --config -u --upload-pack --template', 'other', STARTS),
      on('-f --force', 'destructive', DISCARDS),
      word(/^ext::/, 'other', STARTS),
    ],
  }),
  alike('bisect difftool mergetool instaweb gui citool submodule--helper hook for-each-repo help', 'other', STARTS),
  alike('config', 'other', 'may set what git starts', { own: 'git-config' }),
  groups('stash', { is: 'write', does: WRITES }, [
    alike('list show', 'read-only', READS, { more: OUTPUT }),
    alike('push save pop apply branch create store', 'write', WRITES),
    alike('drop clear', 'destructive', LOSES),
  ]),
  groups('reflog', { is: 'read-only', does: READS }, [
    alike('show list exists', 'read-only', READS, { more: OUTPUT }),
    alike('expire delete drop', 'destructive', LOSES),
  ]),
  groups('remote', { is: 'read-only', does: READS }, [
    alike('get-url', 'read-only', READS),
    alike('add rename set-url set-head set-branches', 'write', WRITES),
    alike('show update prune', 'network', 'speaks with another machine'),
    alike('remove rm', 'destructive', LOSES),
  ]),
  groups('worktree', { is: 'other', does: 'is no command of git' }, [
    alike('list', 'read-only', READS),
    alike('add lock unlock move repair', 'write', WRITES),
    alike('remove prune', 'destructive', LOSES),
  ]),
  groups('submodule', { is: 'read-only', does: READS }, [
    alike('status summary', 'read-only', READS),
    alike('add update init sync', ['network', 'write'], 'takes commits from another machine'),
    alike('deinit', 'destructive', LOSES),
    alike('foreach', 'other', STARTS),
  ]),
)

function groups(name: string, bare: Rule, rows: ReturnType<typeof alike>[]): ReturnType<typeof alike> {
  const subcommands = { values: '', flags: '-v --verbose -q --quiet', table: table(...rows), bare }
  return alike(name, 'other', 'is a command of git that is not known', { subcommands })
}

export const GIT = table(
  alike('git', 'other', 'is a command of git that is not known, or an alias', {
    subcommands: {
      values: '-C',
      flags: '-P --no-pager --no-optional-locks --no-replace-objects --literal-pathspecs --no-lazy-fetch',
      table: SUBCOMMANDS,
      bare: { is: 'read-only', does: READS },
    },
  }),
)
