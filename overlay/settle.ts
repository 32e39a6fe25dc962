import { stateNow } from './base.js'
import { type FileState, sameContent, sameState } from './change.js'
import { mergedState } from './diff.js'
import type { Overlay } from './overlay.js'
import { childOf, type RelPath } from './path.js'
import type { Base } from './stage.js'
import type { TreeNode } from './tree.js'

/**
 * What leaves a stage when a commit has landed or a person has discarded something. The result is an edit like any
 * other: it says which nodes go, so that a replay need not ask the disk again.
 */

/** A path a commit changed on disk, and what it holds since. */
export interface Landed {
  readonly path: RelPath
  readonly after: FileState | null
  /** The commit was of this very session: what it wrote since rests on the committed content. */
  readonly own: boolean
}

export interface Settlement {
  readonly drop: RelPath[]
  readonly point: [RelPath, RelPath | null][]
  readonly forget: RelPath[]
  readonly bases: [RelPath, Base][]
}

export function settleLanded(overlay: Overlay, landed: readonly Landed[]): Settlement {
  const result: Settlement = { drop: [], point: [], forget: [], bases: [] }
  for (const { path, after, own } of landed) {
    const { node, lower } = overlay.placeOf(path)
    const staged = node !== undefined && (node.inode !== undefined || node.whiteout || node.lower !== undefined)
    if (staged && sameState(leaf(mergedState(overlay, path)), after)) {
      result.drop.push(path)
      result.forget.push(path)
    } else if (!staged && lower !== undefined && lower !== path && movedAway(overlay, path, lower, after)) {
      result.point.push([path, path])
      result.forget.push(path, lower)
    } else if (staged && own) result.bases.push([path, { state: after }])
    else if (!staged) result.forget.push(path)
  }
  return result
}

function leaf(state: FileState | null): FileState | null {
  return state?.type === 'dir' ? null : state
}

/** A file shown through a renamed directory has landed at its new name, and its old place is gone or the same. */
function movedAway(overlay: Overlay, path: RelPath, lower: RelPath, after: FileState | null): boolean {
  const there = stateNow(overlay.lower, path, { state: null })
  if (there === null || !sameState(there, after)) return false
  const source = stateNow(overlay.lower, lower, { state: null })
  return source === null || sameContent(source, after)
}

/** What a person threw away: staged nodes whose content is still what they saw. */
export function settleDiscarded(
  overlay: Overlay,
  entries: readonly { readonly path: RelPath; readonly from?: RelPath; readonly after: FileState | null }[],
): Settlement {
  const result: Settlement = { drop: [], point: [], forget: [], bases: [] }
  for (const { path, from, after } of entries) {
    if (!isStagedHere(overlay, path) || !sameState(leaf(mergedState(overlay, path)), leaf(after))) continue
    for (const name of from === undefined ? [path] : [path, from]) {
      result.drop.push(name)
      result.forget.push(name)
    }
  }
  return result
}

/** True when the path has a node of its own, so that it can leave the stage without its neighbours. */
export function isStagedHere(overlay: Overlay, path: RelPath): boolean {
  const { node } = overlay.placeOf(path)
  return node !== undefined && (node.inode !== undefined || node.whiteout || typeof node.lower === 'string')
}

/** Nodes that no longer say anything the disk does not say: run after nodes were dropped. */
export function tidy(overlay: Overlay): Settlement {
  const result: Settlement = { drop: [], point: [], forget: [], bases: [] }
  visit(overlay, overlay.stage.tree.root, '' as RelPath, result)
  return result
}

function visit(overlay: Overlay, node: TreeNode, path: RelPath, result: Settlement): void {
  for (const [name, child] of node.children ?? []) visit(overlay, child, childOf(path, name), result)
  if (path === '') return
  const below = overlay.lower.typeOf(path)
  if (node.whiteout) {
    if (below === undefined) result.drop.push(path)
    return
  }
  if (node.inode && node.inode.type !== 'dir') return
  if (node.lower === path && !node.inode) result.drop.push(path)
  else if (node.lower !== undefined && below === 'dir' && coversNothing(overlay, node, path)) {
    result.point.push([path, null])
    if (node.inode && sameMode(overlay, path, node)) result.drop.push(path)
  } else if (node.inode && node.lower === undefined && below === 'dir' && sameMode(overlay, path, node)) {
    result.drop.push(path)
  }
}

/** A redirect whose source is gone, or an opaque directory all of whose lower names the stage speaks of. */
function coversNothing(overlay: Overlay, node: TreeNode, path: RelPath): boolean {
  if (typeof node.lower === 'string') return overlay.lower.typeOf(node.lower) === undefined
  return overlay.lower.readdir(path).every((entry) => node.children?.has(entry.name))
}

function sameMode(overlay: Overlay, path: RelPath, node: TreeNode): boolean {
  const stats = overlay.lower.lstat(path)
  return stats !== undefined && (stats.mode & 0o7777) === node.inode?.mode
}
