import type { Command } from 'commander'
import type { Context } from '../context.js'
import { type AsJson, json, jsonOption } from '../output.js'
import { oneLine } from '../printable.js'

export function register(command: Command, { io, withWorkspace }: Context): void {
  command
    .description(
      'Finish commits that a crash interrupted after they were decided, and roll back the others. Every command does this when it starts; this one reports it.',
    )
    .addOption(jsonOption())
    .action(async (options: AsJson) => {
      const recovery = await withWorkspace((workspace) => workspace.recover())
      if (options.json) return io.out(json(recovery))
      const { finished, rolledBack, left, warnings = [] } = recovery
      for (const seq of finished) io.out(`finished     commit ${seq}\n`)
      for (const tx of rolledBack) io.out(`rolled back  ${oneLine(tx)}, which had changed nothing\n`)
      for (const { seq, path, reason, kept } of left) {
        const ours = kept === undefined ? '' : `; the commit's version is in ${oneLine(kept)}`
        io.out(
          `left alone   ${oneLine(path)} (${reason}): commit ${seq} found a file there that another program had written${ours}\n`,
        )
      }
      for (const warning of warnings) io.out(`git          ${oneLine(warning)}\n`)
      if (finished.length + rolledBack.length === 0) io.out('Nothing to recover.\n')
    })
}
