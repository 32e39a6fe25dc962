import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { sha256hex } from '../../overlay/digest.js'

/**
 * The slowest suites, which start first. vitest orders by measured durations only after a first run. In a fresh clone it orders by
 * file size, and one of these would run at the end while the other core is idle.
 */
export const LONG: readonly string[] = [
  'test/agents/hook/processes.test.ts',
  'test/agents/mcp/server.test.ts',
  'test/bench/lines.test.ts',
  'test/cli/git-hooks.test.ts',
  'test/cli/review/terminal.test.ts',
  'test/cli/shell.test.ts',
  'test/cli/terminal.test.ts',
  'test/crash/git-steps.test.ts',
  'test/crash/power.test.ts',
  'test/docs/cookbook.test.ts',
  'test/docs/readme.test.ts',
  'test/examples/demo.test.ts',
  'test/git/agent-git.test.ts',
  'test/git/commit.test.ts',
  'test/hostile-repository/directories.test.ts',
  'test/hostile-repository/files.test.ts',
  'test/hostile-repository/inputs.test.ts',
  'test/hostile-repository/trust.test.ts',
  'test/package.test.ts',
  'test/terminal/differential.test.ts',
  'test/terminal/escapes.test.ts',
  'test/terminal/outside-git.test.ts',
  'test/web/browser.test.ts',
]

/**
 * Starts the long suites first, and keeps the suites of one project together, because consecutive suites share a process.
 * With the variable ESCROWFS_SHUFFLE_FILES, the seed orders the suites instead.
 */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { seed } = this.ctx.config.sequence
    const isShuffled = process.env.ESCROWFS_SHUFFLE_FILES !== undefined
    const rank = ({ moduleId }: TestSpecification) =>
      isShuffled ? sha256hex(`${seed} ${moduleId}`) : String(Number(!LONG.some((name) => moduleId.endsWith(name))))
    const sorted = await super.sort(files)
    return sorted.sort((a, b) => compare(a.project.name, b.project.name) || compare(rank(a), rank(b)))
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
