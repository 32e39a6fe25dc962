import { library } from '../../src/cli/library.js'
import type { Prompts } from '../../src/cli/prompts.js'
import { run } from '../../src/cli/run.js'

/** The exit code and output of a command line. */
export interface CommandOutput {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs a command line in this process on a real workspace. @param ask answers its questions; without it nobody does */
export async function escrowAt(root: string, argv: readonly string[], ask?: Prompts): Promise<CommandOutput> {
  const output = { code: -1, out: '', err: '' }
  const io = {
    out: (text: string) => {
      output.out += text
    },
    err: (text: string) => {
      output.err += text
    },
    terminal: false,
    cwd: root,
    color: false,
    version: '1.2.3',
    ...(ask && { ask: async () => ask }),
  }
  output.code = await run(argv, io, async () => library)
  return output
}
