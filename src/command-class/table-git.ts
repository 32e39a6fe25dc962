import { PUBLISHES } from '../core/command-class.js'
import { atLeast, on, onWord, type Rule, rowsFor, type Table, table } from './rule.js'

const READS = 'only reads'
const WRITES = 'changes the repository or the working tree'
const DISCARDS = 'discards work that was not committed'
const LOSES = 'deletes data of the repository'
const STARTS = 'starts another program'

const OUTPUT = [
  on('--output', 'write', 'writes files'),
  on('--ext-diff --textconv -O --open-files-in-pager', 'other', STARTS),
]

const SUBCOMMANDS: Table = table(
  rowsFor(
    'status log diff show blame annotate shortlog describe rev-parse rev-list ls-files ls-tree merge-base name-rev grep ' +
      'count-objects whatchanged for-each-ref show-ref show-branch var version check-ignore check-attr check-mailmap ' +
      'diff-tree diff-index diff-files range-diff cherry verify-commit verify-tag merge-tree get-tar-commit-id column stripspace',
    'read-only',
    READS,
    { additions: OUTPUT },
  ),
  rowsFor('cat-file', 'read-only', READS, { additions: [on('--filters --textconv', 'other', STARTS)] }),
  rowsFor('fsck', 'read-only', READS, { additions: [on('--lost-found', 'write', WRITES)] }),
  rowsFor(
    'add commit merge cherry-pick revert switch am apply init notes mv stage format-patch bundle pack-refs repack update-index ' +
      'write-tree commit-tree hash-object mktag mktree read-tree sparse-checkout maintenance',
    'write',
    WRITES,
    { additions: [on('-f --force --discard-changes --hard', 'destructive', DISCARDS)] },
  ),
  rowsFor('commit', 'write', WRITES, { additions: [on('--amend', 'destructive', 'replaces the last commit')] }),
  rowsFor('add apply am init notes', 'write', WRITES),
  rowsFor('rebase', 'write', WRITES, {
    additions: [on('-x --exec', 'other', STARTS), on('-f --force-rebase', 'destructive', DISCARDS)],
  }),
  rowsFor('reset', 'write', WRITES, { additions: [on('--hard --merge --keep', 'destructive', DISCARDS)] }),
  rowsFor('clean', 'destructive', 'deletes files git does not know', {
    instead: [on('-n --dry-run -nd -ndx -nx -ndX', 'read-only', READS)],
  }),
  rowsFor('checkout', 'destructive', 'may discard work that was not committed', {
    additions: [on('-f --force -B --ours --theirs -p --patch', 'destructive', DISCARDS)],
    instead: [on('-b --orphan', 'write', WRITES), onWord(/^[\w-]+$/, 'write', WRITES)],
  }),
  rowsFor('restore', 'destructive', DISCARDS, {
    additions: [on('-W --worktree', 'destructive', DISCARDS)],
    instead: [on('--staged', 'write', WRITES)],
  }),
  rowsFor('rm', 'destructive', 'deletes files'),
  rowsFor('filter-branch filter-repo replace prune gc', 'destructive', LOSES),
  rowsFor('update-ref symbolic-ref', 'write', WRITES, { additions: [on('-d --delete --stdin', 'destructive', LOSES)] }),
  rowsFor('branch', 'read-only', READS, {
    additions: [
      on('-d -D --delete -M -C -f --force', 'destructive', LOSES),
      on('-m -c --move --copy -u --set-upstream-to --unset-upstream --edit-description', 'write', WRITES),
      atLeast(1, 'write', WRITES),
    ],
  }),
  rowsFor('tag', 'read-only', READS, {
    additions: [
      on('-d --delete -f --force', 'destructive', LOSES),
      on('-a -s -u -m -F', 'write', WRITES),
      atLeast(1, 'write', WRITES),
    ],
  }),
  rowsFor('send-pack http-push', 'network', PUBLISHES, { additions: [on('--receive-pack --exec', 'other', STARTS)] }),
  rowsFor('remote-http remote-https remote-ftp remote-ftps remote-ext remote-fd', ['network', 'other'], PUBLISHES),
  rowsFor('push', 'network', PUBLISHES, {
    additions: [
      on(
        '-f --force --force-with-lease --force-if-includes --mirror --prune -d --delete',
        'destructive',
        'replaces or deletes commits of others',
      ),
      onWord(/^[+:]/, 'destructive', 'replaces or deletes commits of others'),
      on('--receive-pack --exec', 'other', STARTS),
    ],
  }),
  rowsFor(
    'fetch ls-remote send-email request-pull lfs svn p4 imap-send daemon credential',
    'network',
    'contacts another machine',
    {
      additions: [on('--upload-pack -u --exec', 'other', STARTS), on('-f --force -p --prune', 'destructive', LOSES)],
    },
  ),
  rowsFor('archive', 'write', 'writes files', {
    additions: [on('--remote', 'network', 'contacts another machine'), on('--exec', 'other', STARTS)],
  }),
  rowsFor('clone pull', ['network', 'write'], 'downloads commits', {
    additions: [
      on('-c --config -u --upload-pack --template', 'other', STARTS),
      on('-f --force', 'destructive', DISCARDS),
      onWord(/^ext::/, 'other', STARTS),
    ],
  }),
  rowsFor('bisect difftool mergetool instaweb gui citool submodule--helper hook for-each-repo help', 'other', STARTS),
  rowsFor('config', 'other', 'may set a program that git starts', { own: 'git-config' }),
  groups('stash', { is: 'write', does: WRITES }, [
    rowsFor('list show', 'read-only', READS, { additions: OUTPUT }),
    rowsFor('push save pop apply branch create store', 'write', WRITES),
    rowsFor('drop clear', 'destructive', LOSES),
  ]),
  groups('reflog', { is: 'read-only', does: READS }, [
    rowsFor('show list exists', 'read-only', READS, { additions: OUTPUT }),
    rowsFor('expire delete drop', 'destructive', LOSES),
  ]),
  groups('remote', { is: 'read-only', does: READS }, [
    rowsFor('get-url', 'read-only', READS),
    rowsFor('add rename set-url set-head set-branches', 'write', WRITES),
    rowsFor('show update prune', 'network', 'contacts another machine'),
    rowsFor('remove rm', 'destructive', LOSES),
  ]),
  groups('worktree', { is: 'other', does: 'is not a git command' }, [
    rowsFor('list', 'read-only', READS),
    rowsFor('add lock unlock move repair', 'write', WRITES),
    rowsFor('remove prune', 'destructive', LOSES),
  ]),
  groups('submodule', { is: 'read-only', does: READS }, [
    rowsFor('status summary', 'read-only', READS),
    rowsFor('add update init sync', ['network', 'write'], 'downloads commits'),
    rowsFor('deinit', 'destructive', LOSES),
    rowsFor('foreach', 'other', STARTS),
  ]),
)

function groups(name: string, bare: Rule, rows: ReturnType<typeof rowsFor>[]): ReturnType<typeof rowsFor> {
  const subcommands = { values: '', flags: '-v --verbose -q --quiet', table: table(...rows), bare }
  return rowsFor(name, 'other', 'is an unknown git command', { subcommands })
}

export const GIT = table(
  rowsFor('git', 'other', 'is an unknown git command, or an alias', {
    subcommands: {
      values: '-C',
      flags: '-P --no-pager --no-optional-locks --no-replace-objects --literal-pathspecs --no-lazy-fetch',
      table: SUBCOMMANDS,
      bare: { is: 'read-only', does: READS },
    },
  }),
)
