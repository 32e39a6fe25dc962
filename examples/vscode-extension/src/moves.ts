import type * as vscode from 'vscode'
import type { Desk } from './desk.js'
import type { Editors } from './editors.js'
import { type ChangeNode, type HunkNode, hunksToDecide, sessionNodes } from './nodes.js'
import type { SessionLook } from './room.js'

/** Something that can be decided on by itself: a hunk, or a file without hunks of its own. */
export type Part = ChangeNode | HunkNode

/** The part at the cursor, or the first one of its file where the cursor is in none. */
export interface Position {
  readonly look: SessionLook
  readonly part: Part
}

/** What can be decided on in a session, in the order of the tree. */
export function partsIn(look: SessionLook): Part[] {
  return look.groups.flatMap(({ changes }) => changes).flatMap((change) => partsOf({ kind: 'change', look, change }))
}

export function partsOf(node: ChangeNode): Part[] {
  const hunks = hunksToDecide(node.change)
  return hunks.length === 0 ? [node] : hunks.map((hunk) => ({ ...node, kind: 'hunk', hunk }))
}

export function stateOf(part: Part): string {
  return part.kind === 'hunk' ? part.hunk.state : part.change.state
}

/** Where the cursor is: the last part that starts at its line or above. */
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
  return part && { look: node.look, part }
}

/** Opens another hunk, over the ends of files. */
export async function moveByHunk(api: typeof vscode, desk: Desk, editors: Editors, by: 1 | -1): Promise<void> {
  const at = positionIn(api, editors)
  const look = at?.look ?? desk.looks[0]
  if (look === undefined) return
  const parts = partsIn(look)
  const next = at === undefined ? parts[0] : parts[indexOf(parts, at.part) + by]
  if (next === undefined) tell(api, by > 0 ? 'This is the last hunk.' : 'This is the first hunk.')
  else await editors.open(next)
}

/** Opens another file of the session, in the order of the tree. */
export async function moveByFile(api: typeof vscode, desk: Desk, editors: Editors, by: 1 | -1): Promise<void> {
  const at = positionIn(api, editors)
  const look = at?.look ?? desk.looks[0]
  if (look === undefined) return
  const changes = look.groups.flatMap((group) => group.changes)
  const index = at === undefined ? -by : changes.findIndex(({ path }) => path === at.part.change.path)
  const change = at === undefined ? changes[0] : changes[index + by]
  if (change === undefined) tell(api, by > 0 ? 'This is the last file.' : 'This is the first file.')
  else await editors.open({ kind: 'change', look, change })
}

/** After a verdict: opens the next part of the session that nobody has decided on, from the top again after the last one. */
export async function moveToUndecided(api: typeof vscode, desk: Desk, editors: Editors, decided: Part): Promise<void> {
  const look = sessionNodes(desk.looks).find(
    (node) => node.look.room === decided.look.room && node.look.summary.id === decided.look.summary.id,
  )?.look
  const parts = look === undefined ? [] : partsIn(look)
  const at = indexOf(parts, decided)
  const next = [...parts.slice(at + 1), ...parts.slice(0, Math.max(at, 0))].find((part) => stateOf(part) === 'pending')
  if (next === undefined) tell(api, 'Every change of this session is decided.')
  else await editors.open(next)
}

function indexOf(parts: readonly Part[], wanted: Part): number {
  return parts.findIndex(
    (part) =>
      part.change.path === wanted.change.path &&
      (part.kind === 'hunk' && wanted.kind === 'hunk' ? part.hunk.id === wanted.hunk.id : true),
  )
}

function tell(api: typeof vscode, words: string): void {
  void api.window.setStatusBarMessage(words, STATUS_MS)
}

/** Milliseconds that a word in the status bar stays. */
const STATUS_MS = 4_000
