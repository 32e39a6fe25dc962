import { ABSENT, stateNow } from './base.js'
import { type FileState, sameContent, sameState } from './change.js'
import { mergedState } from './diff.js'
import type { Overlay } from './overlay.js'
import { ancestorsOf, asRelPath, childOf, isWithin, parentOf, type RelPath, ROOT } from './path.js'
import type { ReconcilePlan } from './reconcile-plan.js'
import { revertPaths } from './revert.js'
import { redirects } from './sources.js'
import type { TreeNode } from './tree.js'

/**
 * Reconciles a stage with commits and discards. The result is an edit like any other, which names the nodes to remove,
 * so that a replay need not ask the disk again.
 */

/** A path that a commit changed on disk, and its state since. */
export interface CommittedPath {
  readonly path: RelPath
  readonly after: FileState | null
  /** Whether the commit was of the same session, so that its later edits are based on the committed content. */
  readonly own: boolean
}

/**
 * Returns the nodes that leave a stage because commits have put their content, or another, on disk.
 * @param removedDirs directories that this session's commits have removed
 */
export function reconcileCommitted(
  overlay: Overlay,
  committed: readonly CommittedPath[],
  removedDirs: readonly RelPath[] = [],
): ReconcilePlan {
  const result = emptyPlan()
  for (const path of removedDirs) settleRemovedDir(overlay, path, result)
  if (committed.length === 0) return result
  const own = new Set(committed.filter((each) => each.own).map(({ path }) => path))
  for (const each of committed) settleOne(overlay, each, own, result)
  hideNew(overlay, committed, own, result)
  freeLinked(overlay, result)
  return result
}

/** Drops a name that was staged only because another was linked to its file, once that one is committed. */
function freeLinked(overlay: Overlay, result: ReconcilePlan): void {
  const dropped = new Set(result.drop)
  for (const path of dropped) {
    for (const name of overlay.otherNames(path)) {
      const { node } = overlay.placeOf(name)
      if (dropped.has(name) || !node?.inode || !overlay.isUnchanged(name, node.inode)) continue
      dropped.add(name)
      result.drop.push(name)
      result.forget.push(name)
    }
  }
}

function emptyPlan(): ReconcilePlan {
  return { drop: [], point: [], hide: [], forget: [], bases: [] }
}

function settleOne(overlay: Overlay, { path, after, own }: CommittedPath, ours: Ours, result: ReconcilePlan): void {
  if (after?.type === 'dir') {
    if (isDirectoryCommitted(overlay, path, ours)) result.point.push([path, path])
    if (own) settleMadeDir(overlay, path, after, result)
    return
  }
  const { node, lower } = overlay.placeOf(path)
  // The removal of the file is committed, and the directory that replaces it is not yet.
  if (after === null && node?.inode?.type === 'dir') {
    result.forget.push(path)
    return
  }
  const held = node !== undefined && (node.inode !== undefined || node.whiteout || node.lower === null)
  const plain = overlay.placeOf(parentOf(path)).lower === parentOf(path)
  if (held ? isCommitted(overlay, path, after, own) : isCommittedByMove(overlay, path, after, ours)) {
    // Below a renamed or replaced directory the lower name shows only through a redirect.
    if (plain || after !== null) result.drop.push(path)
    if (!plain && after !== null) result.point.push([path, path])
    result.forget.push(path)
  } else if (own && (held || lower !== path)) result.bases.push([path, { state: after }])
  else if (!held && lower === path) {
    if (own && after !== null && removedMeanwhile(overlay, path)) {
      result.hide.push(path)
      result.bases.push([path, { state: after }])
    } else result.forget.push(path)
  }
}

/** New entries at a directory's name have no base: the stage itself removed the directory. */
function settleRemovedDir(overlay: Overlay, path: RelPath, result: ReconcilePlan): void {
  if (overlay.stage.bases.get(path)?.state?.type !== 'dir' || overlay.lower.typeOf(path) === 'dir') return
  if (overlay.placeOf(path).node?.inode) result.bases.push([path, ABSENT])
  else result.forget.push(path)
}

/** Entries that the stage has put in place of a committed directory are based on that directory. */
function settleMadeDir(overlay: Overlay, path: RelPath, after: FileState, result: ReconcilePlan): void {
  const base = overlay.stage.bases.get(path)
  if (base === undefined || sameContent(base.state, after)) return
  const { node } = overlay.placeOf(path)
  const isOther = node !== undefined && (node.whiteout || (node.inode !== undefined && node.inode.type !== 'dir'))
  if (isOther) result.bases.push([path, { state: after }])
  else result.forget.push(path)
}

/** A mode that was not set in the stage was committed as it was on disk then. */
function isCommitted(overlay: Overlay, path: RelPath, after: FileState | null, own: boolean): boolean {
  const now = leaf(mergedState(overlay, path))
  if (sameState(now, after)) return true
  return own && sameContent(now, after) && now?.mode === overlay.stage.bases.get(path)?.state?.mode
}

/**
 * Whether a file that the stage created and a commit took was removed or moved between the commit's read and its write:
 * the file is missing on disk, and the commit was not undone, or the stage would know the path.
 */
function removedMeanwhile(overlay: Overlay, path: RelPath): boolean {
  return overlay.stage.bases.get(path)?.state === null
}

/** Paths that this session's own commits have changed. */
type Ours = ReadonlySet<RelPath>

/** Whether a renamed directory was committed at its new name, and the old name is free or another's. */
function isDirectoryCommitted(overlay: Overlay, path: RelPath, ours: Ours): boolean {
  const { node, lower } = overlay.placeOf(path)
  if (lower === undefined || lower === path || node?.inode) return false
  return overlay.lower.typeOf(path) === 'dir' && (overlay.lower.typeOf(lower) !== 'dir' || isChanged(ours, lower))
}

function isChanged(ours: Ours, path: RelPath): boolean {
  return ours.has(path) || ancestorsOf(path).some((dir) => ours.has(dir))
}

function leaf(state: FileState | null): FileState | null {
  return state?.type === 'dir' ? null : state
}

/**
 * Whether a file in a renamed directory was committed at the new name: the old one is gone, changed by our own commits,
 * or still the same.
 */
function isCommittedByMove(overlay: Overlay, path: RelPath, after: FileState | null, ours: Ours): boolean {
  const { lower } = overlay.placeOf(path)
  if (lower === undefined || lower === path || after === null) return false
  const source = stateNow(overlay.lower, lower, ABSENT)
  return source === null || sameContent(source, after) || isChanged(ours, lower)
}

/**
 * Hides paths that our own commits made under the old name of a renamed directory: they do not belong to the new name.
 * A directory of the same name that was committed there shows its own files.
 */
function hideNew(overlay: Overlay, committed: readonly CommittedPath[], ours: Ours, result: ReconcilePlan): void {
  const moved = redirects(overlay.stage.tree.root, ROOT)
  const hidden = new Set<RelPath>()
  for (const { path, after, own } of committed) {
    if (!own || after === null) continue
    for (const { at, lower } of moved) {
      const name = isWithin(path, lower) ? (`${at}${path.slice(lower.length)}` as RelPath) : at
      if (name === at || ours.has(name) || ancestorsOf(name).some((dir) => hidden.has(dir))) continue
      const place = overlay.placeOf(name)
      if (place.lower !== path) continue
      if (!place.node) hidden.add(name)
      else if (!place.node.inode && overlay.lower.typeOf(name) === 'dir') result.point.push([name, name])
    }
  }
  for (const path of hidden) result.hide.push(path)
}

/** Returns the nodes that a person discarded, without those that have changed since. */
export function reconcileDiscarded(
  overlay: Overlay,
  entries: readonly { readonly path: RelPath; readonly from?: RelPath; readonly after: FileState | null }[],
): ReconcilePlan {
  const unchanged = entries.filter((entry) => isUnchangedSince(overlay, entry))
  return revertPaths(
    overlay,
    new Set(unchanged.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]))),
  )
}

function isUnchangedSince(overlay: Overlay, { path, after }: { path: RelPath; after: FileState | null }): boolean {
  const now = mergedState(overlay, path)
  // A created directory stays while it has entries that nobody discarded.
  if (after?.type === 'dir' && now?.type === 'dir' && overlay.lower.typeOf(path) !== 'dir')
    return overlay.readdir(path).length === 0
  return sameState(leaf(now), leaf(after))
}

/** Drops nodes that have become equal to the disk, after other nodes were dropped. The merged view does not change. */
export function dropRedundant(overlay: Overlay): ReconcilePlan {
  const result = emptyPlan()
  const moved = redirects(overlay.stage.tree.root, ROOT).map(({ lower }) => lower)
  for (const [name, child] of overlay.stage.tree.root.children ?? []) {
    const path = childOf(ROOT, name)
    dropRedundantNode({ overlay, moved }, child, path, path, result)
  }
  forgetDropped(overlay, result)
  return result
}

/** The next edit of a dropped name, or of one below a dropped removal, records its base again. */
function forgetDropped(overlay: Overlay, result: ReconcilePlan): void {
  const dropped = new Set(result.drop)
  const removed = new Set(result.drop.filter((path) => overlay.placeOf(path).node?.whiteout))
  if (dropped.size === 0) return
  for (const path of [...overlay.stage.bases.keys()].map(asRelPath))
    if (dropped.has(path) || ancestorsOf(path).some((dir) => removed.has(dir))) result.forget.push(path)
}

interface RedundancyCheck {
  readonly overlay: Overlay
  /** Directories of the disk that are shown under another name. */
  readonly moved: readonly RelPath[]
}

/** @param inherited the lower path that would show here without the node */
function dropRedundantNode(
  tidying: RedundancyCheck,
  node: TreeNode,
  path: RelPath,
  inherited: RelPath | undefined,
  result: ReconcilePlan,
): void {
  const { overlay } = tidying
  const inheritedType = inherited === undefined ? undefined : overlay.lower.typeOf(inherited)
  if (node.whiteout) {
    if (inheritedType === undefined || (inherited === path && isRemovalDone(tidying, path))) result.drop.push(path)
    return
  }
  if (node.inode && node.inode.type !== 'dir') return
  let shows = node.lower === undefined ? inherited : (node.lower ?? undefined)
  if (node.lower !== undefined && inherited === path && isReplaced(overlay, node, path, shows)) {
    result.point.push([path, null])
    if (shows !== undefined) keepRemovedDirs(overlay, shows, result)
    shows = path
  }
  for (const [name, child] of node.children ?? [])
    dropRedundantNode(
      tidying,
      child,
      childOf(path, name),
      shows === undefined ? undefined : childOf(shows, name),
      result,
    )
  if (shows !== inherited || inherited === undefined) return
  if (node.inode ? inheritedType === 'dir' && sameMode(overlay, inherited, node) : node.lower !== undefined)
    result.drop.push(path)
}

/**
 * Records the removal of directories that still exist under the old name of a moved directory. No node refers to them
 * any more. Without a base they would count as directories that appeared on disk later.
 */
function keepRemovedDirs(overlay: Overlay, dir: RelPath, result: ReconcilePlan): void {
  if (overlay.lower.typeOf(dir) !== 'dir' || overlay.typeOf(dir) === 'dir') return
  if (!overlay.stage.bases.has(dir)) result.bases.push([dir, { state: stateNow(overlay.lower, dir, ABSENT) }])
  for (const { name } of overlay.lower.readdir(dir)) keepRemovedDirs(overlay, childOf(dir, name), result)
}

/** Whether a directory is removed, so that everything left in it appeared on disk later. */
function isRemovalDone({ overlay, moved }: RedundancyCheck, path: RelPath): boolean {
  if (overlay.lower.typeOf(path) !== 'dir') return false
  if (moved.some((lower) => isWithin(lower, path) || isWithin(path, lower))) return false
  const entries = overlay.lower.readdir(path)
  return entries.length > 0 && entries.every(({ name }) => appearedLater(overlay, childOf(path, name)))
}

function appearedLater(overlay: Overlay, path: RelPath): boolean {
  const base = overlay.stage.bases.get(path)
  if (base === undefined || base.state === null) return true
  const isDir = base.state.type === 'dir' && overlay.lower.typeOf(path) === 'dir'
  const entries = isDir ? overlay.lower.readdir(path) : []
  return entries.length > 0 && entries.every(({ name }) => appearedLater(overlay, childOf(path, name)))
}

/** Whether the disk has the directory, and a node shows the same entries in its place. */
function isReplaced(overlay: Overlay, node: TreeNode, path: RelPath, shows: RelPath | undefined): boolean {
  return overlay.lower.typeOf(path) === 'dir' && covers(overlay, node, shows) && covers(overlay, node, path)
}

/** Whether a node shows nothing of a lower directory, because the stage covers all its names. */
function covers(overlay: Overlay, node: TreeNode, path: RelPath | undefined): boolean {
  if (path === undefined || overlay.lower.typeOf(path) !== 'dir') return true
  return overlay.lower.readdir(path).every(({ name, type }) => {
    const child = node.children?.get(name)
    if (!child) return false
    const stands = child.whiteout || child.lower !== undefined || (child.inode && child.inode.type !== 'dir')
    return stands || (type === 'dir' && covers(overlay, child, childOf(path, name)))
  })
}

function sameMode(overlay: Overlay, path: RelPath, node: TreeNode): boolean {
  const stats = overlay.lower.lstat(path)
  return stats !== undefined && (stats.mode & 0o7777) === node.inode?.mode
}
