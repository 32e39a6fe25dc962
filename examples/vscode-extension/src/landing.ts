import type { CommitProgress, CommitResult } from 'escrowfs'
import type * as vscode from 'vscode'
import type { SessionNode } from './nodes.js'
import { admitted, reasonOf, refuseAgents } from './person.js'
import type { Room } from './room.js'
import { counted, landingOf } from './words.js'

const MERGE = 'Merge, then look again'
/** Commits that are offered to be undone. */
const OFFERED = 50

/** Writes the approved changes to disk after showing which they are, with progress; it can be cancelled until it is decided. */
export async function commit(api: typeof vscode, { look }: SessionNode, merge = false): Promise<void> {
  const { room, summary } = look
  refuseAgents(room)
  const { changes } = await (await room.workspace.review(summary.id)).changes()
  const landing = changes.filter(
    ({ state, hunks }) => state === 'approved' || hunks.some((hunk) => hunk.state === 'approved'),
  )
  if (landing.length === 0 && !merge) throw new Error('Nothing is approved, so there is nothing to commit.')
  const question = { what: `Commit ${counted(landing.length, 'file')}?`, detail: landingOf(landing), yes: 'Commit' }
  if (!(await admitted(api, room, merge ? { what: `Merge and commit ${summary.id}?` } : question))) return
  const off = new AbortController()
  try {
    tell(api, room, await land(api, room, summary.id, off, merge))
  } catch (error) {
    if (off.signal.aborted && error === off.signal.reason) {
      void api.window.showInformationMessage('The commit was cancelled. Nothing has changed.')
      return
    }
    if (merge || reasonOf(error) !== 'stale_file') throw error
    const message = room.library.editor.plainName(error instanceof Error ? error.message : String(error))
    if ((await api.window.showWarningMessage(message, MERGE)) === MERGE)
      await commit(api, { kind: 'session', look }, true)
  }
}

function land(
  api: typeof vscode,
  { workspace, library }: Room,
  session: string,
  off: AbortController,
  merge: boolean,
): Thenable<CommitResult> {
  const title = library.editor.plainName(`Committing ${session}`)
  const options = { location: api.ProgressLocation.Notification, title, cancellable: true }
  return api.window.withProgress(options, async (progress, token) => {
    const hearing = token.onCancellationRequested(() => off.abort(new Error('Called off.')))
    let shown = 0
    const onProgress = (at: CommitProgress) => {
      const percent = percentOf(at)
      progress.report({ message: `${at.phase}, ${at.files} of ${at.total}`, increment: percent - shown })
      shown = percent
    }
    try {
      const review = await workspace.review(session)
      return await review.commit({ signal: off.signal, onProgress, merge })
    } finally {
      hearing.dispose()
    }
  })
}

function percentOf({ phase, files, total }: CommitProgress): number {
  const done = ['checking', 'staging', 'applying'].indexOf(phase) + (total === 0 ? 1 : files / total)
  return Math.floor((done / 3) * 100)
}

function tell(api: typeof vscode, { library }: Room, { id, committed, warnings = [] }: CommitResult): void {
  const message = id === '' ? 'Nothing was committed.' : `${counted(committed.length, 'change')} on disk now.`
  void api.window.showInformationMessage(message)
  for (const warning of warnings) void api.window.showWarningMessage(library.editor.plainName(warning))
}

interface Landed {
  readonly room: Room
  readonly tx: string
  readonly paths: readonly string[]
  readonly at: string
  readonly session: string
}

/**
 * Stages the inverse of a commit that the person chooses; it is reviewed and committed like all else.
 * @returns its session, undefined where none was chosen
 */
export async function undo(
  api: typeof vscode,
  rooms: readonly Room[],
): Promise<{ readonly room: Room; readonly session: string } | undefined> {
  const landed = (await Promise.all(rooms.map(commitsOf))).flat().sort((a, b) => (a.at < b.at ? 1 : -1))
  if (landed.length === 0) {
    void api.window.showInformationMessage('No commit can be undone here.')
    return undefined
  }
  const items = landed.slice(0, OFFERED).map((commit) => {
    const { plainName } = commit.room.library.editor
    const { paths, at, session, tx } = commit
    return { label: plainName(paths.join(', ')), description: plainName(`${session}, ${at}`), detail: tx, commit }
  })
  const chosen = await api.window.showQuickPick(items, { placeHolder: 'Which commit do you want to undo?' })
  if (chosen === undefined) return undefined
  const { room, tx } = chosen.commit
  if (!(await admitted(api, room, { what: `Stage the inverse of ${tx}?` }))) return undefined
  return { room, session: (await room.workspace.undo(tx)).sessionId }
}

async function commitsOf(room: Room): Promise<Landed[]> {
  const found = new Map<string, Landed>()
  for await (const { metadata, session_id: session, timestamp: at } of room.workspace.ledger.records()) {
    const own = fieldsOf(fieldsOf(metadata)['dev.escrowfs'])
    const { tx, type, changes } = own
    if (typeof tx !== 'string' || (type !== 'commit' && type !== 'undo') || !Array.isArray(changes)) continue
    const paths = [...(found.get(tx)?.paths ?? []), ...changes.map((change) => String(fieldsOf(change).path))]
    found.set(tx, { room, tx, paths, at: String(at), session: String(session) })
  }
  return [...found.values()]
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
