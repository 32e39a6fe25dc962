import type * as vscode from 'vscode'
import type { Editors } from './editors.js'
import { type ChangeNode, type HunkNode, hunksToDecide, sessionNodes } from './nodes.js'
import type { ReviewModel } from './review-model.js'
import type { SessionSnapshot } from './reviewed-workspace.js'

/** The unit of a decision: a hunk, or a file without separate hunks. */
export type Part = ChangeNode | HunkNode

/** The part at the cursor, or the first one of its file if the cursor is in none. */
export interface Position {
  readonly snapshot: SessionSnapshot
  readonly part: Part
}

/** The parts of a session, in the order of the tree. */
export function partsIn(snapshot: SessionSnapshot): Part[] {
  return snapshot.groups
    .flatMap(({ changes }) => changes)
    .flatMap((change) => partsOf({ kind: 'change', snapshot, change }))
}

export function partsOf(node: ChangeNode): Part[] {
  const hunks = hunksToDecide(node.change)
  return hunks.length === 0 ? [node] : hunks.map((hunk) => ({ ...node, kind: 'hunk', hunk }))
}

export function stateOf(part: Part): string {
  return part.kind === 'hunk' ? part.hunk.state : part.change.state
}

/** The position of the cursor: the last part that starts at its line or above. */
export function positionIn(api: typeof vscode, editors: Editors): Position | undefined {
  const active = api.window.activeTextEditor
  const node = active && editors.changeOf(active.document.uri)
  if (active === undefined || node === undefined) return undefined
  const side = editors.sideOf(active.document.uri)
  const line = active.selection.active.line + 1
  const parts = partsOf(node)
  const startOf = (part: Part) =>
    part.kind === 'change' ? 0 : side === 'before' ? part.hunk.oldStart : part.hunk.newStart
  const part = parts.findLast((each) => startOf(each) <= line) ?? parts[0]
  return part && { snapshot: node.snapshot, part }
}

/** Opens the next or previous hunk, across files. */
export async function moveByHunk(api: typeof vscode, model: ReviewModel, editors: Editors, by: 1 | -1): Promise<void> {
  const at = positionIn(api, editors)
  const snapshot = at?.snapshot ?? model.sessions[0]
  if (snapshot === undefined) return
  const parts = partsIn(snapshot)
  const next = at === undefined ? parts[0] : parts[indexOf(parts, at.part) + by]
  if (next === undefined) showStatusMessage(api, by > 0 ? 'This is the last hunk.' : 'This is the first hunk.')
  else await editors.open(next)
}

/** Opens the next or previous file of the session, in the order of the tree. */
export async function moveByFile(api: typeof vscode, model: ReviewModel, editors: Editors, by: 1 | -1): Promise<void> {
  const at = positionIn(api, editors)
  const snapshot = at?.snapshot ?? model.sessions[0]
  if (snapshot === undefined) return
  const changes = snapshot.groups.flatMap((group) => group.changes)
  const index = at === undefined ? -by : changes.findIndex(({ path }) => path === at.part.change.path)
  const change = at === undefined ? changes[0] : changes[index + by]
  if (change === undefined) showStatusMessage(api, by > 0 ? 'This is the last file.' : 'This is the first file.')
  else await editors.open({ kind: 'change', snapshot, change })
}

/** After a verdict, opens the next undecided part of the session. Wraps around at the end. */
export async function moveToUndecided(
  api: typeof vscode,
  model: ReviewModel,
  editors: Editors,
  decided: Part,
): Promise<void> {
  const snapshot = sessionNodes(model.sessions).find(
    (node) =>
      node.snapshot.reviewed === decided.snapshot.reviewed && node.snapshot.summary.id === decided.snapshot.summary.id,
  )?.snapshot
  const parts = snapshot === undefined ? [] : partsIn(snapshot)
  const at = indexOf(parts, decided)
  const next = [...parts.slice(at + 1), ...parts.slice(0, Math.max(at, 0))].find((part) => stateOf(part) === 'pending')
  if (next === undefined) showStatusMessage(api, 'Every change of this session is decided.')
  else await editors.open(next)
}

function indexOf(parts: readonly Part[], wanted: Part): number {
  return parts.findIndex(
    (part) =>
      part.change.path === wanted.change.path &&
      (part.kind === 'hunk' && wanted.kind === 'hunk' ? part.hunk.id === wanted.hunk.id : true),
  )
}

function showStatusMessage(api: typeof vscode, words: string): void {
  void api.window.setStatusBarMessage(words, STATUS_MS)
}

/** How long a status bar message stays. */
const STATUS_MS = 4_000
