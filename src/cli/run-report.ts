import { defined } from '../core/defined.js'
import type { CommandResult, KeptRef, Session, Workspace } from '../index.js'
import { networkSummary, pathsOf, shortRef, summaryOf, timeOf, toHistoryEntry } from '../surface/index.js'
import { dropIfEmpty } from './agent-session.js'
import type { Io } from './context.js'
import { pluralize } from './output.js'
import { oneLine } from './printable.js'
import { remediesIn, renderRemedies } from './remedies.js'

/**
 * Prints the result of a program's run: its changes, refusals with the command that resolves each, hosts it could not
 * reach, its git commits, and the next command. Resolves with the number of changes that are staged.
 * @param startedAt milliseconds since 1970
 * @param isNamed whether the person named the session. Another one is closed, and removed if it is empty.
 */
export async function reportRun(
  io: Pick<Io, 'err'>,
  workspace: Workspace,
  session: Session,
  { startedAt, isNamed }: { readonly startedAt: number; readonly isNamed: boolean },
  { effects, refused, kept, connections = [], unreachable = [], commits = [], gitRefs = [] }: CommandResult,
): Promise<number> {
  const { changes } = await session.changes()
  const id = oneLine(session.id)
  const committed = await countCommitted(workspace, session.id, startedAt)
  const isAllCommitted = committed > 0 && effects.changes.length + kept.length === 0
  const summary = isAllCommitted ? [] : summaryOf(effects, [], kept).split('\n')
  if (committed > 0) summary.push(`${pluralize(committed, 'path')} committed while it ran.`)
  io.err(`\n${summary.map(oneLine).join('\n')}\n`)
  for (const { message, paths } of commits)
    io.err(`git commit kept as a proposal: ${firstLine(message)} (${pluralize(paths.length, 'file')})\n`)
  if (commits.length > 0)
    io.err(
      `${commits.length === 1 ? 'It is' : 'They are'} not in the repository. 'escrow commit ${id} --git --per proposal' makes commits of what is approved.\n`,
    )
  for (const { ref, subject } of gitRefs)
    io.err(`kept in the session's git, not proposed: ${shortRef(ref)} (${oneLine(subject)})\n`)
  if (gitRefs.length > 0) io.err(`To take it out: ${takeOut(session.id, gitRefs)}\n`)
  for (const line of networkSummary({ connections })) io.err(`${oneLine(line)}\n`)
  for (const host of unreachable)
    io.err(`no access to ${oneLine(host)}: allow it with '--allow-host ${oneLine(host)}'\n`)
  const intentId = session.intent?.id
  const asked = refused.map((each) => ({ ...each, ...defined({ intentId }) }))
  io.err(renderRemedies(await remediesIn(workspace, asked, { session: session.id, isKept: true })))
  if (!isNamed && changes.length === 0 && (await dropIfEmpty(workspace, session))) return 0
  const object = changes.length === 1 ? 'it' : 'them'
  const next = changes.length === 0 ? '' : ` See ${object} with 'escrow diff ${id}', then 'escrow approve ${id}'.`
  const isOlder = effects.changes.length === 0 && changes.length > 0
  const total = isOlder
    ? `Session '${id}' has ${pluralize(changes.length, 'change')} from earlier.`
    : `${pluralize(changes.length, 'change')} staged in session '${id}'.`
  io.err(`${total}${next}\n`)
  return changes.length
}

/** Counts the paths of a session that were committed since a time. The summary has only the staged ones. */
async function countCommitted({ ledger }: Workspace, session: string, since: number): Promise<number> {
  const paths = new Set<string>()
  for await (const record of ledger.records({ order: 'newest' })) {
    if ((timeOf(record) ?? since) < since) break
    if (record.session_id !== session) continue
    if (toHistoryEntry(record).what === 'commit') for (const path of pathsOf(record)) paths.add(path)
  }
  return paths.size
}

/** The command that copies refs of the session's git into the repository, as branches: contents alone, no settings and no hooks. */
function takeOut(session: string, refs: readonly KeptRef[]): string {
  const names = refs.map(({ ref }) => quote(ref)).join(' ')
  const to = refs
    .map(({ ref }) => quote(`${ref}:refs/heads/agent/${ref.replace(/^refs\/(?:heads\/|tags\/)?/, '')}`))
    .join(' ')
  return `escrow run --session ${quote(session)} -- git bundle create - ${names} > /tmp/agent.bundle && git fetch /tmp/agent.bundle ${to}`
}

/** A word of a shell line. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${oneLine(word).replaceAll("'", "'\\''")}'`
}

function firstLine(message: string): string {
  return oneLine(message.split('\n', 1)[0] ?? '')
}
