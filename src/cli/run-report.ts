import { defined } from '../core/defined.js'
import type { CommandResult, Session, Workspace } from '../index.js'
import { summaryOf } from '../surface/index.js'
import type { Io } from './context.js'
import { pluralize } from './output.js'
import { oneLine } from './printable.js'
import { remediesIn, renderRemedies } from './remedies.js'

/**
 * Prints the result of a program's run: its changes, refusals with the command that resolves each, hosts it could not
 * reach, its git commits, and what to type next. Resolves with the number of changes that are staged.
 */
export async function reportRun(
  io: Pick<Io, 'err'>,
  workspace: Workspace,
  session: Session,
  { effects, refused, kept, unreachable = [], commits = [] }: CommandResult,
): Promise<number> {
  const { changes } = await session.changes()
  const id = oneLine(session.id)
  io.err(`\n${summaryOf(effects, [], kept).split('\n').map(oneLine).join('\n')}\n`)
  for (const { message, paths } of commits)
    io.err(`git commit kept as a proposal: ${firstLine(message)} (${pluralize(paths.length, 'file')})\n`)
  if (commits.length > 0) io.err(`They are not in the repository. 'escrow log --session ${id}' shows their messages.\n`)
  for (const host of unreachable)
    io.err(`no access to ${oneLine(host)}: allow it with '--allow-host ${oneLine(host)}'\n`)
  const isOwnGit = ({ path, reason }: (typeof refused)[number]) => path === '.git' && reason === 'protected_path'
  const others = commits.length > 0 ? refused.filter((each) => !isOwnGit(each)) : refused
  const intentId = session.intent?.id
  const asked = others.map((each) => ({ ...each, ...defined({ intentId }) }))
  io.err(renderRemedies(await remediesIn(workspace, asked, { session: session.id, isKept: true })))
  const next = changes.length === 0 ? '' : ` See them with 'escrow diff ${id}', then 'escrow approve ${id}'.`
  io.err(`${pluralize(changes.length, 'change')} staged in session '${id}'.${next}\n`)
  return changes.length
}

function firstLine(message: string): string {
  return oneLine(message.split('\n', 1)[0] ?? '')
}
