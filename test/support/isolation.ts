/**
 * Suites that replace modules or load them again. Each runs in a separate process. All others share one process, one after the other,
 * because loading the sources again takes most of them longer than their tests. `setup.ts` checks that they restore what they change.
 */
export const OWN_PROCESS: readonly string[] = [
  'test/exec/open-place.test.ts',
  'test/fs/locks-runtime.test.ts',
  'test/release/pre-commit.test.ts',
  'test/review/highlight.test.ts',
  'test/terminal/copy-differential.test.ts',
  'test/terminal/copy.test.ts',
]

/** Suites of `npm run test:clients`, which install and drive real clients. */
export const REAL_CLIENTS: readonly string[] = ['test/clients/**']

/** Suites of `npm run test:libraries`, which install and drive npm libraries. */
export const LIBRARIES: readonly string[] = ['test/libraries/**']

/** Suites of `npm run test:editor`, which install a real editor and run the extension in it. */
export const REAL_EDITOR: readonly string[] = ['test/editor/**']

/** Suites of `npm run test:postgres`, which start a PostgreSQL server. */
export const REAL_POSTGRES: readonly string[] = ['test/postgres/**']
