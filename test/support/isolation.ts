/**
 * Suites that change global state of the process: a variable, a module, the file mode mask. Each runs in a separate process. All
 * others restore theirs and share one process, one after the other, because loading the sources again takes most of them
 * longer than their tests.
 */
export const OWN_PROCESS: readonly string[] = [
  'test/access/admit-reviewer.test.ts',
  'test/access/hook-token.test.ts',
  'test/access/migrate.test.ts',
  'test/agents/hook/shell-line.test.ts',
  'test/agents/opencode/answer.test.ts',
  'test/agents/roo/shell.test.ts',
  'test/attacks/places.test.ts',
  'test/attest/attest.test.ts',
  'test/cli/ci.test.ts',
  'test/cli/export-review.test.ts',
  'test/cli/git-hooks.test.ts',
  'test/cli/intents.test.ts',
  'test/cli/review/effect-runner.test.ts',
  'test/client-settings/config.test.ts',
  'test/client-settings/launcher.test.ts',
  'test/client-settings/probe.test.ts',
  'test/commit/commit.test.ts',
  'test/commit/ownership.test.ts',
  'test/embed/host-fs.test.ts',
  'test/examples/embedding.test.ts',
  'test/examples/replay.test.ts',
  'test/examples/vscode-extension/verdicts.test.ts',
  'test/exec/commands.test.ts',
  'test/exec/network-grant.test.ts',
  'test/exec/open-place.test.ts',
  'test/fs/change-feed.test.ts',
  'test/fs/locks-runtime.test.ts',
  'test/git/adopt.test.ts',
  'test/git/patches.test.ts',
  'test/hooks/attempts.test.ts',
  'test/hostile-repository/inputs-git.test.ts',
  'test/hub-server/telemetry.test.ts',
  'test/os/compile-cache.test.ts',
  'test/os/parsed-texts.test.ts',
  'test/os/workspace-state.test.ts',
  'test/overlay/image.test.ts',
  'test/overlay/stage-log.test.ts',
  'test/pull-request/check.test.ts',
  'test/release/checklist.test.ts',
  'test/release/pre-commit.test.ts',
  'test/release/quarantine.test.ts',
  'test/release/release-by-rule.test.ts',
  'test/release/release-evidence.test.ts',
  'test/review/highlight.test.ts',
  'test/terminal/client-directories.test.ts',
  'test/terminal/copy-differential.test.ts',
  'test/terminal/copy-scan.test.ts',
  'test/terminal/copy.test.ts',
  'test/terminal/git-settings.test.ts',
  'test/terminal/hostile.test.ts',
  'test/terminal/landlock/run.test.ts',
  'test/terminal/search-path.test.ts',
  'test/terminal/secret-variables.test.ts',
  'test/trace/anchors.test.ts',
  'test/trace/known-records.test.ts',
  'test/trace/merges.test.ts',
  'test/trace/torn.test.ts',
  'test/trace/verify.test.ts',
  'test/transparency/log.test.ts',
]

/** Suites of `npm run test:clients`, which install and drive real clients. */
export const REAL_CLIENTS: readonly string[] = ['test/clients/**']

/** Suites of `npm run test:libraries`, which install and drive npm libraries. */
export const LIBRARIES: readonly string[] = ['test/libraries/**']

/** Suites of `npm run test:editor`, which install a real editor and run the extension in it. */
export const REAL_EDITOR: readonly string[] = ['test/editor/**']

/** Suites of `npm run test:postgres`, which start a PostgreSQL server. */
export const REAL_POSTGRES: readonly string[] = ['test/postgres/**']
