import type { Command } from 'commander'
import { type Context, EXIT } from '../context.js'
import { counted, json } from '../output.js'
import { oneLine } from '../printable.js'

export function register(command: Command, { io, withWorkspace, exit }: Context): void {
  command
    .description('Check that no ledger record was changed, cut out, cut off or forked.')
    .option('--json', 'print one JSON document')
    .action(async (options: { json?: true }) => {
      const result = await withWorkspace((workspace) => workspace.ledger.verify())
      if (!result.ok) exit(EXIT.badLedger)
      const { line, reason } = result.firstBad ?? { line: 0, reason: 'the reason is not known' }
      if (options.json) io.out(json(result))
      else if (result.ok) io.out(`The ledger is whole: ${counted(result.records, 'record')}.\n`)
      else io.err(`The ledger is bad from line ${line} on: ${oneLine(reason)}. Nothing was changed.\n`)
    })
}
