import type { Command } from 'commander'
import type { Snapshot } from '../../index.js'
import type { Context } from '../context.js'
import { type AsJson, json, jsonOption, table } from '../output.js'

export function register(command: Command, { io, withWorkspace }: Context): void {
  command
    .description(
      "List the snapshots of a session's stage, oldest first. There is one before each tool call, one for each name given, and one for each `escrow travel`, which returns to a snapshot.",
    )
    .argument('<session>', "the session's id")
    .addOption(jsonOption())
    .action(async (session: string, options: AsJson) => {
      const snapshots = await withWorkspace(async (workspace) => (await workspace.review(session)).snapshots())
      if (options.json) io.out(json({ session, snapshots }))
      else io.out(snapshots.length === 0 ? 'No snapshots.\n' : table(snapshots.map(row)))
    })
}

function row({ id, at, name, tool, callId, parent }: Snapshot): string[] {
  const about = name ?? (tool === undefined ? 'before a travel' : `before ${tool} ${callId ?? ''}`.trimEnd())
  return [id, at, about, parent === undefined ? '' : `from ${parent}`]
}
