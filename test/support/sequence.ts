import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { sha256hex } from '../../overlay/digest.js'

/**
 * Suites that take longest, begun first. vitest knows how long each took when it has run them before; in a fresh clone it goes by
 * the size of a file, and one of these would be left to the end with a core idle beside it.
 */
export const LONG: readonly string[] = [
  'test/agents/hook/processes.test.ts',
  'test/attacks/aliased.test.ts',
  'test/attacks/legitimate.test.ts',
  'test/attacks/table.test.ts',
  'test/cli/run-program.test.ts',
  'test/cli/shell.test.ts',
  'test/crash/commit.test.ts',
  'test/crash/outside-edits.test.ts',
  'test/crash/session.test.ts',
  'test/crash/stage.test.ts',
  'test/docs/cookbook.test.ts',
  'test/examples/demo.test.ts',
  'test/package.test.ts',
  'test/terminal/differential.test.ts',
  'test/trace/merges.test.ts',
  'test/web/browser.test.ts',
]

/** Long suites first, those of one project together: a process is shared by what follows one another. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { shuffle, seed } = this.ctx.config.sequence
    const rank = ({ moduleId }: TestSpecification) =>
      shuffle ? sha256hex(`${seed} ${moduleId}`) : String(Number(!LONG.some((name) => moduleId.endsWith(name))))
    const sorted = await super.sort(files)
    return sorted.sort((a, b) => compare(a.project.name, b.project.name) || compare(rank(a), rank(b)))
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
