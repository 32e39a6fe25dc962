/**
 * Suites that leave their process as they found it run one after the other in the same one: to load the sources anew takes most of
 * them longer than their tests.
 */
export const TOGETHER: readonly string[] = [
  'test/{commit,core,fs,hooks,host,intents,overlay,policy,review,trace}/**/*.test.ts',
  'test/session*.test.ts',
]

/** Suites among them that change something of the whole process: a variable, a module, the file mode mask. */
export const OWN_PROCESS: readonly string[] = [
  'test/commit/commit.test.ts',
  'test/commit/ownership.test.ts',
  'test/fs/change-feed.test.ts',
  'test/fs/locks-runtime.test.ts',
  'test/hooks/deeds.test.ts',
  'test/overlay/image.test.ts',
  'test/overlay/stage-log.test.ts',
  'test/session-quarantine.test.ts',
  'test/trace/anchors.test.ts',
]
