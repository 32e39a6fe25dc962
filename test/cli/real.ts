import { library } from '../../src/cli/library.js'
import type { Asking } from '../../src/cli/prompts.js'
import { run } from '../../src/cli/run.js'

/** What a command line gave. */
export interface Said {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs a command line in this process on a real workspace. @param ask who answers its questions; without it nobody does. */
export async function escrowAt(root: string, argv: readonly string[], ask?: Asking): Promise<Said> {
  const said = { code: -1, out: '', err: '' }
  const io = {
    out: (text: string) => {
      said.out += text
    },
    err: (text: string) => {
      said.err += text
    },
    terminal: false,
    cwd: root,
    color: false,
    version: '1.2.3',
    ...(ask && { ask: async () => ask }),
  }
  said.code = await run(argv, io, async () => library)
  return said
}
