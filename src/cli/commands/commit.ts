import type { Command } from 'commander'
import type { CommitResult } from '../../index.js'
import { type Context, EXIT } from '../context.js'
import { type AsJson, addJson, counted, json } from '../output.js'
import { oneLine } from '../printable.js'

export function register(command: Command, { io, asReviewer, exit }: Context): void {
  addJson(command)
    .description('Put the approved changes of a session on disk, all or none.')
    .argument('<session>', "the session's id")
    .option('--strict', 'never replace a save made by another program at the last moment')
    .option('--merge', 'merge approved changes into what is on disk now; what was merged needs a verdict of its own')
    .action(async (session: string, { json: asJson, ...options }: { strict?: true; merge?: true } & AsJson) => {
      const result = await asReviewer(async (workspace) => (await workspace.review(session)).commit(options))
      if (result.conflicts.length > 0) exit(EXIT.refused)
      if (asJson) return io.out(json(result))
      io.out(render(result, session))
      for (const { path, reason } of result.conflicts) io.err(`conflict   ${oneLine(path)}: ${oneLine(reason)}\n`)
      for (const warning of result.warnings ?? []) io.err(`warning    ${oneLine(warning)}\n`)
    })
}

function render({ id, seq, committed }: CommitResult, session: string): string {
  if (id === '') {
    return `Nothing is approved, so nothing was committed. Approve with 'escrow approve ${oneLine(session)}'.\n`
  }
  const lines = committed.map((path) => `committed  ${oneLine(path)}\n`)
  return `${lines.join('')}${counted(committed.length, 'change')} committed as ${id}, number ${seq}.\n`
}
