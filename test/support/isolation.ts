/**
 * Suites that change modules or properties of the process that nothing can restore. Each runs in a separate process. All others share
 * processes, one after the other, because loading the sources again takes most of them longer than their tests. What they change in
 * the environment, the directory and the clock is restored after each of them (`restore.ts`).
 */
export const OWN_PROCESS: readonly string[] = [
  'test/agents/roo/alias.test.ts',
  'test/exec/open-place.test.ts',
  'test/fs/locks-runtime.test.ts',
  'test/inbox/owner-socket.test.ts',
  'test/release/pre-commit.test.ts',
  'test/review/highlight.test.ts',
  'test/terminal/containments.test.ts',
  'test/terminal/copy-differential.test.ts',
  'test/terminal/copy-scan.test.ts',
  'test/terminal/copy.test.ts',
  'test/terminal/landlock/run.test.ts',
  'test/terminal/scratch-places.test.ts',
]

/**
 * Groups of the other suites. A suite belongs to the first that matches it. Each group has new processes, because a process grows with
 * each suite, and starting a program takes longer from a larger process: it copies the page tables. The first group loads a database and
 * the TypeScript compiler, which stay in memory.
 */
export const GROUPS: Readonly<Record<string, readonly string[]>> = {
  large: [
    'test/{architecture,package,unused}.test.ts',
    'test/change-class/layout-oracle.test.ts',
    'test/cli/hub*.test.ts',
    'test/cli/review/on-hub.test.ts',
    'test/fs/{libraries,locks-disk,locks-types}.test.ts',
    'test/{hub,hub-server,landing,remote}/**/*.test.ts',
  ],
  command: ['test/{agents,cli,docs,examples,hosts}/**/*.test.ts'],
  git: ['test/{backtest,exec,git,histories,history,pull-request,trace}/**/*.test.ts'],
  terminal: ['test/{bench,crash,hostile-repository,terminal}/**/*.test.ts'],
  together: ['test/**/*.test.ts'],
}

/** Suites of `npm run test:clients`, which install and drive real clients. */
export const REAL_CLIENTS: readonly string[] = ['test/clients/**']

/** Suites of `npm run test:libraries`, which install and drive npm libraries. */
export const LIBRARIES: readonly string[] = ['test/libraries/**']

/** Suites of `npm run test:editor`, which install a real editor and run the extension in it. */
export const REAL_EDITOR: readonly string[] = ['test/editor/**']

/** Suites of `npm run test:postgres`, which start a PostgreSQL server. */
export const REAL_POSTGRES: readonly string[] = ['test/postgres/**']
