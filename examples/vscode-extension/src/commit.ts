import type { CommitProgress, CommitResult } from 'escrowfs'
import type * as vscode from 'vscode'
import { commitDetails, pluralize } from './labels.js'
import type { SessionNode } from './nodes.js'
import { mayDecide, reasonOf, refuseAgents } from './person.js'
import type { ReviewedWorkspace } from './reviewed-workspace.js'

const MERGE = 'Merge, then look again'
/** The number of commits that the undo list offers. */
const MAX_COMMITS = 50

/** Shows the approved changes, then commits them with progress. It can be cancelled until the commit is decided. */
export async function commit(api: typeof vscode, { snapshot }: SessionNode, merge = false): Promise<void> {
  const { reviewed, summary } = snapshot
  refuseAgents(reviewed)
  const { changes } = await (await reviewed.workspace.review(summary.id)).changes()
  const approved = changes.filter(
    ({ state, hunks }) => state === 'approved' || hunks.some((hunk) => hunk.state === 'approved'),
  )
  if (approved.length === 0 && !merge) throw new Error('Nothing is approved, so there is nothing to commit.')
  const question = {
    what: `Commit ${pluralize(approved.length, 'file')}?`,
    detail: commitDetails(approved),
    yes: 'Commit',
  }
  if (!(await mayDecide(api, reviewed, merge ? { what: `Merge and commit ${summary.id}?` } : question))) return
  const controller = new AbortController()
  try {
    showResult(api, reviewed, await runCommit(api, reviewed, summary.id, controller, merge))
  } catch (error) {
    if (controller.signal.aborted && error === controller.signal.reason) {
      void api.window.showInformationMessage('The commit was cancelled. Nothing has changed.')
      return
    }
    if (merge || reasonOf(error) !== 'stale_file') throw error
    const message = reviewed.library.editor.plainName(error instanceof Error ? error.message : String(error))
    if ((await api.window.showWarningMessage(message, MERGE)) === MERGE)
      await commit(api, { kind: 'session', snapshot }, true)
  }
}

function runCommit(
  api: typeof vscode,
  { workspace, library }: ReviewedWorkspace,
  session: string,
  controller: AbortController,
  merge: boolean,
): Thenable<CommitResult> {
  const title = library.editor.plainName(`Committing ${session}`)
  const options = { location: api.ProgressLocation.Notification, title, cancellable: true }
  return api.window.withProgress(options, async (progress, token) => {
    const cancellation = token.onCancellationRequested(() => controller.abort(new Error('Cancelled.')))
    let shown = 0
    const onProgress = (at: CommitProgress) => {
      const percent = percentOf(at)
      progress.report({ message: `${at.phase}, ${at.files} of ${at.total}`, increment: percent - shown })
      shown = percent
    }
    try {
      const review = await workspace.review(session)
      return await review.commit({ signal: controller.signal, onProgress, merge })
    } finally {
      cancellation.dispose()
    }
  })
}

function percentOf({ phase, files, total }: CommitProgress): number {
  const done = ['checking', 'staging', 'applying'].indexOf(phase) + (total === 0 ? 1 : files / total)
  return Math.floor((done / 3) * 100)
}

function showResult(
  api: typeof vscode,
  { library }: ReviewedWorkspace,
  { id, committed, warnings = [] }: CommitResult,
): void {
  const message = id === '' ? 'Nothing was committed.' : `${pluralize(committed.length, 'change')} on disk now.`
  void api.window.showInformationMessage(message)
  for (const warning of warnings) void api.window.showWarningMessage(library.editor.plainName(warning))
}

interface CommitEntry {
  readonly reviewed: ReviewedWorkspace
  readonly tx: string
  readonly paths: readonly string[]
  readonly at: string
  readonly session: string
}

/**
 * Stages the inverse of a commit that the person chooses.
 * @returns the new session; undefined if none was chosen
 */
export async function undo(
  api: typeof vscode,
  workspaces: readonly ReviewedWorkspace[],
): Promise<{ readonly reviewed: ReviewedWorkspace; readonly session: string } | undefined> {
  const commits = (await Promise.all(workspaces.map(commitsOf))).flat().sort((a, b) => (a.at < b.at ? 1 : -1))
  if (commits.length === 0) {
    void api.window.showInformationMessage('No commit can be undone here.')
    return undefined
  }
  const items = commits.slice(0, MAX_COMMITS).map((commit) => {
    const { plainName } = commit.reviewed.library.editor
    const { paths, at, session, tx } = commit
    return { label: plainName(paths.join(', ')), description: plainName(`${session}, ${at}`), detail: tx, commit }
  })
  const chosen = await api.window.showQuickPick(items, { placeHolder: 'Which commit do you want to undo?' })
  if (chosen === undefined) return undefined
  const { reviewed, tx } = chosen.commit
  if (!(await mayDecide(api, reviewed, { what: `Stage the inverse of ${tx}?` }))) return undefined
  return { reviewed, session: (await reviewed.workspace.undo(tx)).sessionId }
}

async function commitsOf(reviewed: ReviewedWorkspace): Promise<CommitEntry[]> {
  const found = new Map<string, CommitEntry>()
  for await (const { metadata, session_id: session, timestamp: at } of reviewed.workspace.ledger.records()) {
    const own = fieldsOf(fieldsOf(metadata)['dev.escrowfs'])
    const { tx, type, changes } = own
    if (typeof tx !== 'string' || (type !== 'commit' && type !== 'undo') || !Array.isArray(changes)) continue
    const paths = [...(found.get(tx)?.paths ?? []), ...changes.map((change) => String(fieldsOf(change).path))]
    found.set(tx, { reviewed, tx, paths, at: String(at), session: String(session) })
  }
  return [...found.values()]
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
