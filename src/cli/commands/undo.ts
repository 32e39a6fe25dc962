import type { Command } from 'commander'
import { defined } from '../../core/defined.js'
import type { Change, Workspace } from '../../index.js'
import { timeOf, toHistoryEntry } from '../../surface/index.js'
import { type Context, EXIT } from '../context.js'
import { type AsJson, json, jsonOption, pluralize } from '../output.js'
import { parseTime } from '../parse-time.js'
import { oneLine } from '../printable.js'

interface Options extends AsJson {
  readonly since?: number
  readonly dryRun?: true
}

export function register(command: Command, context: Context): void {
  command
    .description(
      'Stage the inverse of commits, newest first, in a new session: all of them or none. Review and commit it like any other change.',
    )
    .argument('[commits...]', "ids or numbers of commits, as 'escrow log' lists them")
    .option('--since <when>', "all commits since a date (UTC) or an age: '2026-11-22', '3d', 'yesterday'", (text) =>
      parseTime(text),
    )
    .option('--dry-run', 'show what would be staged, and stage nothing')
    .addOption(jsonOption())
    .action((commits: string[], options: Options) => {
      if ((commits.length === 0) === (options.since === undefined))
        command.error("error: give commits, or a time with '--since'")
      return undo(context, commits, options)
    })
}

async function undo(context: Context, names: readonly string[], options: Options): Promise<void> {
  const { io, asReviewer, withWorkspace, exit } = context
  const { since, dryRun } = options
  // A dry run decides nothing, so anybody may ask for it.
  const open = dryRun ? withWorkspace : asReviewer
  const found = await open(async (workspace) => {
    const commits = since === undefined ? names : await commitsSince(workspace, since)
    if (commits.length === 0) return undefined
    if (dryRun) return { commits, changes: (await workspace.previewUndo(commits)).changes }
    const review = await workspace.undo(commits)
    const { changes } = await review.changes()
    return {
      commits,
      session: review.sessionId,
      others: await sameUndos(workspace, review.sessionId, changes),
      changes,
    }
  })
  if (found === undefined) {
    io.err('escrow: There is no commit since that time. Nothing was staged.\n')
    return exit(EXIT.refused)
  }
  const { commits, session, others = [], changes } = found
  if (options.json) {
    const paths = changes.map(({ path, flags }) => ({ path, drifted: flags.includes('drifted') }))
    return io.out(json({ commits, ...defined({ session }), changes: paths }))
  }
  io.out(render(commits, session, changes))
  for (const other of others) io.err(`Session '${oneLine(other)}' already stages the same changes.\n`)
}

/** The other undo sessions with exactly these changes, which nobody has committed yet. */
async function sameUndos(workspace: Workspace, session: string, changes: readonly Change[]): Promise<string[]> {
  const contentsOf = (list: readonly Change[]) => JSON.stringify(list.map(({ path, after }) => [path, after]).sort())
  const same: string[] = []
  for (const { id, damaged, changes: count } of await workspace.sessions()) {
    if (damaged !== undefined || id === session || !id.startsWith('undo-') || count !== changes.length) continue
    const other = await (await workspace.review(id)).changes()
    if (contentsOf(other.changes) === contentsOf(changes)) same.push(id)
  }
  return same
}

/** The ids of the commits since a time, oldest first. Undo commits are included. */
async function commitsSince({ ledger }: Workspace, since: number): Promise<string[]> {
  const found: string[] = []
  for await (const record of ledger.records()) {
    if ((timeOf(record) ?? 0) < since) continue
    const { tx, what } = toHistoryEntry(record)
    if (tx !== undefined && (what === 'commit' || what === 'undo')) found.push(tx)
  }
  return [...new Set(found)]
}

function render(commits: readonly string[], session: string | undefined, changes: readonly Change[]): string {
  const isDrifted = ({ flags }: Change) => flags.includes('drifted')
  const lines = changes.map(
    (change) => `staged  ${oneLine(change.path)}${isDrifted(change) ? '  changed on disk' : ''}\n`,
  )
  const drifted = changes.filter(isDrifted).length
  const warning = drifted === 0 ? '' : `${pluralize(drifted, 'path')} changed on disk: not approved by default.\n`
  const named =
    commits.length === 1 ? '' : `${pluralize(commits.length, 'commit')}: ${commits.map(oneLine).join(', ')}\n`
  const end =
    session === undefined
      ? `${pluralize(changes.length, 'change')} would be staged. Nothing was changed.\n`
      : `${pluralize(changes.length, 'change')} staged in session '${oneLine(session)}'. See 'escrow diff ${oneLine(session)}'.\n`
  return [named, ...lines, warning, end].join('')
}
