import type { Command } from 'commander'
import type { Context } from '../context.js'
import { type AsJson, json, jsonOption, pluralize } from '../output.js'
import { oneLine } from '../printable.js'
import { withSession } from '../with-session.js'

export function register(command: Command, { io, asReviewer }: Context): void {
  command
    .description(
      "Return a session's stage to a snapshot. Nothing is lost: the current stage becomes another snapshot, and committed files stay on disk. While a process holds the session, only its agent can travel.",
    )
    .argument('<session>', "the session's id")
    .argument('<snapshot>', "the snapshot's id, as 'escrow snapshots' lists it")
    .addOption(jsonOption())
    .action(async (id: string, snapshot: string, options: AsJson) => {
      const { travelled, staged } = await asReviewer((workspace) =>
        withSession(workspace, id, async (session) => ({
          travelled: await session.travel(snapshot),
          staged: (await session.changes()).changes.length,
        })),
      )
      const { left, kept } = travelled
      if (options.json) return io.out(json({ session: id, snapshot, left, kept, staged }))
      const session = oneLine(id)
      io.out(`Session '${session}' is at snapshot ${oneLine(snapshot)}: ${pluralize(staged, 'change')} staged.\n`)
      for (const path of kept) io.out(`kept  ${oneLine(path)}: committed since\n`)
      io.out(`Return with 'escrow travel ${session} ${oneLine(left.id)}'.\n`)
    })
}
