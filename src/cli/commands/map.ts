import type { Command } from 'commander'
import type { Context } from '../context.js'
import { printable } from '../printable.js'
import { withProgress } from '../progress.js'

export function register(command: Command, { io, withWorkspace }: Context): void {
  command
    .description(
      'Update .orchestration/intent_map.md and print it: each intent with the functions and classes it changed, and when. Commits keep it up to date. Text that you write between its markers stays.',
    )
    .action(async () => {
      const text = await withProgress(io, 'Reading the ledger and the files', () =>
        withWorkspace((workspace) => workspace.mapIntents()),
      )
      io.out(text.split('\n').map(printable).join('\n'))
    })
}
