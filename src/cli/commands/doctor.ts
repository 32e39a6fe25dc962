import type { Command } from 'commander'
import { type Context, EXIT } from '../context.js'
import { json, table } from '../output.js'
import { oneLine } from '../printable.js'

export function register(command: Command, { io, exit, library }: Context): void {
  command
    .description('Try what running commands in containment needs of this machine, and name what mends it.')
    .option('--json', 'print one JSON document')
    .action(async (options: { json?: true }) => {
      const found = await (await library()).checkContainment()
      const lacking = found.find(({ ok }) => !ok)
      if (lacking) exit(EXIT.refused)
      if (options.json) {
        io.out(json({ ok: lacking === undefined, found }))
        return
      }
      io.out(
        table(found.map(({ name, ok, problem }) => [name, ok ? 'works' : 'does not work', oneLine(problem ?? '')])),
      )
      if (lacking === undefined) io.out('Commands can be contained here.\n')
      else
        io.out(
          `Commands are refused here.${lacking.mend === undefined ? '' : ` To mend it: ${oneLine(lacking.mend)}`}\n` +
            'They can run on a copy, held in by nothing, where policy.yaml says `terminal: { isolation_none: true }`.\n',
        )
    })
}
