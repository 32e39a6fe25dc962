import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { filesBelow, REPOSITORY } from '../support/usage.js'

/**
 * The files that read the wall clock, and why. A person or a time server can move it by hours, so no duration is measured with it:
 * `performance.now()` does that.
 */
const READERS: Readonly<Record<string, string>> = {
  'overlay/clock.ts': 'the time of a staged file',
  'overlay/diff.ts': 'compared with the time of a file',
  'overlay/file-stamp.ts': 'compared with the time of a file',
  'overlay/lower-stat-cache.ts': 'compared with the time of a file',
  'src/agents/mcp/host.ts': 'part of a name',
  'src/cli/agent-session.ts': 'part of a name',
  'src/cli/commands/run.ts': 'compared with the time of a record',
  'src/cli/commands/start.ts': 'compared with the time of a record',
  'src/cli/parse-time.ts': 'a time that a person gave',
  'src/commit/disk-state.ts': 'compared with the time of a file',
  'src/embed/command-outputs.ts': 'part of a name',
  'src/fs/times.ts': 'the time of a staged file',
  'src/git/scratch.ts': 'the age of a file',
  'src/hub-server/guard.ts': 'the limit of requests, which begins again if the clock was set back',
  'src/hub-server/metrics.ts': 'the time of a report',
  'src/hub-server/sign-in-routes.ts': 'the limit of requests, which begins again if the clock was set back',
  'src/os/write.ts': 'part of a name',
  'src/release/commit-bases.ts': 'compared with the time of a file',
  'src/release/commit-times.ts': 'the time of a committed file',
  'src/release/release-by-rule.ts': 'compared with the time of a verdict',
  'src/stage/empty-session.ts': 'the age of a file',
  'src/stage/seen-files.ts': 'compared with the time of a file',
  'src/stage/stage-writer.ts': 'the time of an edit',
  'src/terminal/apply-effects.ts': 'compared with the time of a file',
  'src/terminal/tree-scan.ts': 'compared with the monotonic clock',
  'src/trace/anchor-file.ts': 'the age of a file',
  'src/trace/published.ts': 'the age of a file',
}

it('is read where its time is kept or compared with a kept one, and measures no duration', () => {
  const readers = [...filesBelow('src', /\.ts$/), ...filesBelow('overlay', /\.ts$/)].filter((file) =>
    /\bDate\.now\b/.test(readFileSync(`${REPOSITORY}/${file}`, 'utf8')),
  )
  expect(readers.sort()).toEqual(Object.keys(READERS).sort())
})
