import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { constantsOf } from '../../scripts/docs/limits.js'
import { ALL } from '../../scripts/docs/limits-list.js'
import { DEFAULT_SETTINGS } from '../../src/policy/settings.js'
import { scene } from '../attacks/kit.js'
import { filesBelow } from '../support/usage.js'
import { project } from './reader.js'

const page = fs.readFileSync(`${project}docs/limits.md`, 'utf8')

/** Matches names of limits. */
const LIMIT =
  /MAX|MOST|LIMIT|LONGEST|DEEPEST|BUDGET|PATIENCE|TIMEOUT|WAIT|DEADLINE|KEPT|OUTPUT|PROCESSES|MEMORY|BODY|MESSAGE|CONNECTIONS|LISTED/

/** Matching or exported numbers that are not limits for users, with the reason. */
const UNMET: Readonly<Record<string, string>> = {
  'src/commit/history.ts#KEPT_CHANGES': 'more are read from the disk again',
  ...because('claims below it only wait for each other', ['src/hub/claims.ts#MAX_LOCKED']),
  'src/exec/disk-names.ts#MAX_NAMES': 'beyond it a directory that changed counts as changed',
  ...because('beyond it the whole tree is compared', [
    'src/terminal/copy.ts#MAX_WITHOUT',
    'src/terminal/find-shell.ts#MAX_OUTPUT',
  ]),
  ...because('it limits only how something is printed or counted', [
    'src/cli/commands/blame.ts#MOST_NUMBERS',
    ...['src/hub/postgres.ts#CONNECTIONS', 'src/hub/retry.ts#LONGEST_MS', 'src/remote/sync.ts#WAIT'],
    ...['src/hub-server/host-routes.ts#MAX_WAIT', 'src/remote/sync.ts#MAX_REJECTED'],
    ...['src/hub-server/landings-page.ts#MAX_SUMMARY', 'src/remote/sender.ts#MAX_AGENT'],
    ...['src/cli/commands/stats.ts#MAX_BAR', 'src/cli/review/lines.ts#WORDS_LIMIT'],
    ...['src/cli/review/place.ts#ROWS_MAX', 'src/cli/review/text.ts#CLUSTER_LIMIT'],
    ...[
      'src/fs/descriptors.ts#FIRST_DESCRIPTOR',
      'src/commit/stage.ts#FLUSH_TOGETHER',
      'src/review/word-diff.ts#MOSTLY',
      'src/terminal/sandbox.ts#STATUS_FD',
    ],
    ...[
      'src/trace/line-prints.ts#PRINT_LENGTH',
      'src/trace/line-prints.ts#LONGEST',
      'src/session/failure.ts#MAX_LISTED',
      'src/terminal/quarantine.ts#MAX_NAMED',
      'src/access/proposed-scope.ts#MAX_LISTED',
      'src/access/proposed-like.ts#MAX_GLOBS',
      'src/release/scope-reach.ts#MAX_FILES',
      'src/release/scope-reach.ts#MAX_NAMED',
      'src/cli/commands/why.ts#MAX_REFUSALS',
      'src/backtest/report-html.ts#MAX_SESSIONS',
      'src/backtest/report-text.ts#MAX_ROWS',
      'src/backtest/tally.ts#MAX_EXAMPLES',
      'src/backtest/tally.ts#MAX_LISTED',
      'src/backtest/tally.ts#MAX_SHOWN',
      'src/policy/remedy.ts#MAX_NAMES',
      'src/cli/commands/completion.ts#MAX_DESCRIPTION_LENGTH',
      'src/cli/completion/values.ts#MOST_COMMITS',
    ],
    ...['src/trace/origins.ts#WEIGHT_WITHIN', 'src/trace/origins.ts#WEIGHT_ACROSS', 'src/exec/format.ts#MAX_OUTPUT'],
    ...['src/exec/admission.ts#MAX_SHOWN', 'src/command-class/findings.ts#MAX_PART'],
    'src/command-class/findings.ts#MAX_REASONS',
    'src/os/variance.ts#LONGEST',
    'src/terminal/network/connections.ts#MAX_NAME',
    ...['src/cli/remedies.ts#MAX_NAMED_PATHS', 'src/cli/review/files.ts#MAX_NAMES', 'src/cli/render-stat.ts#MAX_BAR'],
    'src/cli/start/intent.ts#MAX_NAME_LENGTH',
    ...['src/hooks/human.ts#MAX_PREVIEW', 'src/terminal/summary.ts#MAX_NAMES', 'src/terminal/denial-spool.ts#MAX_PART'],
    'src/terminal/denial-spool.ts#MAX_LINE',
  ]),
  ...because('it limits a cache: the rest is computed again', [
    ...[
      'src/fs/resolved-path-cache.ts#KEPT',
      'src/commit/pin.ts#MAX_OPEN',
      'src/judge/judge.ts#MAX_SESSIONS',
      'src/backtest/replay.ts#MAX_REMEMBERED',
      'src/stage/result-cache.ts#MOST',
      ...['src/stage/result-cache.ts#MAX_RESULT', 'src/stage/result-cache.ts#MAX_TEXT'],
      'src/release/commit-bases.ts#MAX_UNCACHED',
      'src/stage/seen-files.ts#MAX_COPIED',
      'src/web/review-handle.ts#MAX_HANDLES',
    ],
    ...[
      'src/review/diff-memory.ts#ONE_LIMIT',
      'src/review/diff-memory.ts#ALL_LIMIT',
      'src/web/files.ts#MAX_CACHED_ROWS',
    ],
    ...['src/trace/published.ts#KEPT', 'src/trace/versions.ts#MAX_CELLS', 'src/trace/anchor-lines.ts#MAX_BRANCHES'],
    'src/trace/anchor-lines.ts#MAX_HASHES',
  ]),
  ...because('it bounds a cache, or is its version', [
    ...[
      'src/os/keep-code.ts#MOST',
      'src/os/parsed-texts.ts#MOST',
      'src/change-class/version.ts#CLASSIFIER',
      'src/risk/version.ts#RULES',
    ],
  ]),
  ...because('it is an internal delay or timeout', [
    'src/terminal/network/tunnel.ts#CONNECT_MS',
    ...['src/cli/review/coloring.ts#PATIENCE_MS', 'src/os/flush.ts#TIMEOUT_MS'],
    'src/os/lock.ts#LONGEST_NAP_MS',
    'src/session/lessons.ts#MAX_TRIES',
  ]),
  ...because('a standard defines it', [
    ...['src/core/allowed-hosts.ts#MAX_NAME'],
    ...['src/transparency/merkle.ts#HASH_BYTES', 'src/transparency/note.ts#LOG_KEY'],
    ...['src/transparency/note.ts#WITNESS_KEY', 'src/transparency/tiles.ts#TILE_WIDTH'],
  ]),
  ...because('Node or the kernel defines it', [
    ...['src/fs/kernel-dir.ts#MAX_BUFFER', 'src/fs/ownership.ts#MAX_ID'],
    ...['ALL_FILE_RIGHTS', 'ALL_NETWORK_RIGHTS', 'ALL_SCOPES'].map((name) => `src/terminal/landlock/rules.ts#${name}`),
    ...['TIOCSTI', 'TIOCLINUX', 'ALLOW', 'ERRNO', 'JUMP_ANY_BIT', 'SOCKET_TYPE'].map(
      (name) => `src/terminal/seccomp.ts#${name}`,
    ),
  ]),
  ...because('it is far above what we write, so a longer text is damaged', [
    ...[
      'src/os/process.ts#MAX_CARD_BYTES',
      'src/session/claims.ts#MAX_CLAIM_BYTES',
      'src/terminal/contained.ts#MESSAGE',
    ],
    ...['src/access/migrate.ts#MAX_ANCHOR_BYTES', 'src/os/accepted-files.ts#MAX_BYTES'],
    ...['src/os/parsed-texts.ts#MAX_BYTES', 'src/access/proposed-like.ts#MAX_MANIFEST'],
    ...[
      'src/os/session-agent.ts#MAX_META_BYTES',
      'src/trace/ledger-file.ts#MAX_REPAIRS',
      'src/trace/ledger.ts#MAX_LOOKS',
      'src/risk/other-manifests.ts#KEPT',
    ],
    ...[
      'src/os/accepted-files.ts#MAX_BYTES',
      'src/access/migrate.ts#MAX_ANCHOR_BYTES',
      'src/session/lessons.ts#MAX_TRIES',
    ],
  ]),
  ...because('beyond it less is reported, and nothing is refused', [
    ...['src/risk/facts-of.ts#MOST_ADDED', 'src/risk/facts.ts#MOST_TEXT', 'src/risk/hints.ts#MAX_LINE'],
    ...['src/risk/line-facts.ts#MAX_LINE', 'src/risk/secrets.ts#MAX_LINE', 'src/risk/syntax.ts#MOST'],
    ...[
      'src/risk/text-facts.ts#MAX_LINE',
      'src/risk/documents.ts#MAX_LINE',
      'src/risk/marks.ts#MAX_LINE',
      'src/cli/commands/status.ts#MOST_RANKED',
      'src/cli/commands/status.ts#MOST_READ',
    ],
    ...['src/cli/commands/verify.ts#MAX_NAMES', 'src/cli/record-numbers.ts#MAX_RANGES'],
    ...['src/history/intent-map.ts#MAX_FILE', 'src/policy/overlap.ts#MAX_CANDIDATES', 'src/stage/mutations.ts#BUDGET'],
    ...['src/command-class/text-programs.ts#MAX_SCRIPT', 'src/terminal/secrets.ts#MAX_GIT_SETTINGS'],
    ...[
      'src/terminal/denial-spool.ts#MAX_READ',
      'src/trace/intent-map/update.ts#BUDGET',
      'src/trace/origins.ts#BUDGET',
    ],
    ...['src/trace/vcs.ts#MAX_HOPS', 'src/trace/block-ends.ts#MAX_BLOCK'],
  ]),
}

function because(reason: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, reason]))
}

describe('docs/limits.md', () => {
  it('has every limit of the sources', () => {
    const files = ['src', 'overlay'].flatMap((dir) => filesBelow(dir, /\.tsx?$/))
    const named = files.flatMap((file) => {
      const text = fs.readFileSync(`${project}${file}`, 'utf8')
      const isExported = (name: string) => text.includes(`export const ${name} `)
      return [...constantsOf(file).keys()]
        .filter((name) => LIMIT.test(name) || isExported(name))
        .map((name) => `${file}#${name}`)
    })
    expect(named.filter((each) => !(each in ALL) && !(each in UNMET))).toEqual([])
    expect(Object.keys(UNMET).filter((each) => !named.includes(each) || each in ALL)).toEqual([])
  })

  it('has the right defaults of policy', () => {
    const { limits, undoCommits, gate } = DEFAULT_SETTINGS
    expect(limits).toEqual({})
    expect(page).toContain(
      `The default of\n\`limits.undo_commits\` is ${undoCommits}, and of \`gate.breaker\` ${gate.breaker}.`,
    )
  })

  const rows = [...page.matchAll(/^\| ([^|]+?) +\| `([A-Za-z_]+)` +\|$/gm)].map(([, call = '', failure = '']) => ({
    call,
    failure,
  }))

  it.each(rows)('$call: $failure', async ({ call, failure }) => {
    const tried = TRIED[call]
    expect(tried, call).toBeDefined()
    const fixture = scene({ 'src/a.ts': 'a\n' })
    execFileSync('mkfifo', [fixture.at('src/pipe')])
    const session = await fixture.agent(await fixture.open())
    for (const attempt of tried?.(session.fs, fixture.root) ?? []) {
      let thrown: unknown
      try {
        attempt()
      } catch (error) {
        thrown = error
      }
      const { code, reason } = (thrown ?? {}) as { code?: string; reason?: string }
      expect([code, reason], String(attempt)).toContain(failure)
    }
  })

  it('tests exactly the documented arguments', () => {
    expect(Object.keys(TRIED).sort()).toEqual(rows.map(({ call }) => call).sort())
  })
})

type Attempts = (api: typeof fs, root: string) => (() => unknown)[]

const TRIED: Readonly<Record<string, Attempts>> = {
  'any change outside the workspace': (api, root) => [
    () => api.writeFileSync(`${root}/../x`, ''),
    () => api.mkdirSync(`${root}/../x`),
    () => api.openSync(`${root}/../x`, 'w'),
    () => api.renameSync(`${root}/src/a.ts`, `${root}/../x`),
  ],
  'a symlink to a place outside the workspace': (api, root) =>
    ['../../x', '/etc/passwd', '/proc/self/root'].map((target) => () => api.symlinkSync(target, `${root}/src/l`)),
  'a symlink with `..` after a name in its target': (api, root) =>
    ['x/../a.ts', `${root}/src/../src/a.ts`].map((target) => () => api.symlinkSync(target, `${root}/src/l`)),
  'a symlink to a place that the intent may not write': (api, root) =>
    ['../mail', '..', '../package.json'].map((target) => () => api.symlinkSync(target, `${root}/src/l`)),
  'a copy or a move after which a link would point there': (api, root) => {
    api.mkdirSync(`${root}/src/d`)
    api.symlinkSync('../a.ts', `${root}/src/d/l`)
    return [
      () => api.renameSync(`${root}/src/d/l`, `${root}/src/l`),
      () => api.linkSync(`${root}/src/d/l`, `${root}/src/l`),
      () => api.cpSync(`${root}/src/d/l`, `${root}/src/l`, { verbatimSymlinks: true }),
    ]
  },
  'a name with a `\\` that is out of scope if `\\` is a separator': (api, root) => [
    () => api.writeFileSync(`${root}/src/x\\..\\..\\mail\\m.ts`, ''),
  ],
  'a change of the workspace root itself': (api, root) => [
    () => api.rmSync(root, { recursive: true }),
    () => api.renameSync(root, `${root}/src/b`),
    () => api.chmodSync(root, 0o700),
  ],
  '`readFile` with a flag that can change the file: `w`, `a+`': (api, root) =>
    Object.entries({ w: 'a', 'a+': 'a', 'wx+': 'absent' }).map(
      ([flag, name]) =>
        () =>
          api.readFileSync(`${root}/src/${name}.ts`, { flag }),
    ),
  '`open` with `O_TMPFILE`': (api, root) => [() => api.openSync(`${root}/src`, 0o20200002)],
  '`copyFile` with `COPYFILE_FICLONE_FORCE`': (api, root) => [
    () => api.copyFileSync(`${root}/src/a.ts`, `${root}/src/b.ts`, fs.constants.COPYFILE_FICLONE_FORCE),
  ],
  'a path that is a Buffer without valid UTF-8, or has a lone surrogate': (api, root) => [
    () => api.statSync(Buffer.from([0xff])),
    () => api.writeFileSync(`${root}/src/\ud800`, ''),
  ],
  'a descriptor of the host': (api) => [() => api.writeSync(1, 'x'), () => api.fstatSync(0)],
  '`open` of a pipe, a socket or a device in the workspace': (api, root) => [
    () => api.openSync(`${root}/src/pipe`, 'r'),
  ],
  'a write into one': (api, root) => [() => api.writeFileSync(`${root}/src/pipe`, 'x')],
}
