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
 * What leaves a stage when a commit has landed or a person has discarded something. The result is an edit like any
 * other: it says which nodes go, so that a replay need not ask the disk again.
 */

/** A path a commit changed on disk, and what it holds since. */
export interface CommittedPath {
  readonly path: RelPath
  readonly after: FileState | null
  /** The commit was of this very session: what it wrote since rests on the committed content. */
  readonly own: boolean
}

/**
 * What leaves a stage because commits have put it, or something else, on disk.
 * @param removedDirs directories that this session's commits have removed
 */
export function reconcileCommitted(
  overlay: Overlay,
  landed: readonly CommittedPath[],
  removedDirs: readonly RelPath[] = [],
): ReconcilePlan {
  const result = emptyPlan()
  for (const path of removedDirs) settleRemovedDir(overlay, path, result)
  if (landed.length === 0) return result
  const own = new Set(landed.filter((each) => each.own).map(({ path }) => path))
  for (const each of landed) settleOne(overlay, each, own, result)
  hideNew(overlay, landed, own, result)
  freeLinked(overlay, result)
  return result
}

/** A name was staged only because another was linked to its file. That one has landed: both are the disk's now. */
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
  // A file gave way to a staged directory: the removal has landed, the directory itself is still to come.
  if (after === null && node?.inode?.type === 'dir') {
    result.forget.push(path)
    return
  }
  const held = node !== undefined && (node.inode !== undefined || node.whiteout || node.lower === null)
  const plain = overlay.placeOf(parentOf(path)).lower === parentOf(path)
  if (held ? isCommitted(overlay, path, after, own) : isCommittedByMove(overlay, path, after, ours)) {
    // Below a renamed or replaced directory the lower name shows through only where it is pointed at.
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

/** What is made at the name of a directory from now on rests on nothing: the stage itself removed the directory. */
function settleRemovedDir(overlay: Overlay, path: RelPath, result: ReconcilePlan): void {
  if (overlay.stage.bases.get(path)?.state?.type !== 'dir' || overlay.lower.typeOf(path) === 'dir') return
  if (overlay.placeOf(path).node?.inode) result.bases.push([path, ABSENT])
  else result.forget.push(path)
}

/** What the stage has put in the place of a directory since it landed rests on that directory. */
function settleMadeDir(overlay: Overlay, path: RelPath, after: FileState, result: ReconcilePlan): void {
  const base = overlay.stage.bases.get(path)
  if (base === undefined || sameContent(base.state, after)) return
  const { node } = overlay.placeOf(path)
  const isOther = node !== undefined && (node.whiteout || (node.inode !== undefined && node.inode.type !== 'dir'))
  if (isOther) result.bases.push([path, { state: after }])
  else result.forget.push(path)
}

/** A mode nobody set in the stage landed as what the disk said by then. */
function isCommitted(overlay: Overlay, path: RelPath, after: FileState | null, own: boolean): boolean {
  const now = leaf(mergedState(overlay, path))
  if (sameState(now, after)) return true
  return own && sameContent(now, after) && now?.mode === overlay.stage.bases.get(path)?.state?.mode
}

/**
 * A file that the stage had made, and a commit took: it is not there any more, and was not taken back, or the stage would
 * not know it. So it was removed, or moved, between the commit's look and its landing.
 */
function removedMeanwhile(overlay: Overlay, path: RelPath): boolean {
  return overlay.stage.bases.get(path)?.state === null
}

/** Paths this session's own commits have changed. */
type Ours = ReadonlySet<RelPath>

/** A directory shown by its old name has landed at its new one, and the old name is gone or another's. */
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
 * A file shown by its directory's old name has landed at the new one: what was there then is gone, changed by our own
 * commits, or still the same.
 */
function isCommittedByMove(overlay: Overlay, path: RelPath, after: FileState | null, ours: Ours): boolean {
  const { lower } = overlay.placeOf(path)
  if (lower === undefined || lower === path || after === null) return false
  const source = stateNow(overlay.lower, lower, ABSENT)
  return source === null || sameContent(source, after) || isChanged(ours, lower)
}

/**
 * A path that our own commits made under the old name of a renamed directory never belonged to the new name. A directory
 * of the same name that has already been committed there shows its own files.
 */
function hideNew(overlay: Overlay, landed: readonly CommittedPath[], ours: Ours, result: ReconcilePlan): void {
  const moved = redirects(overlay.stage.tree.root, ROOT)
  const hidden = new Set<RelPath>()
  for (const { path, after, own } of landed) {
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

/** What a person threw away, as far as it is still what they saw. */
export function reconcileDiscarded(
  overlay: Overlay,
  entries: readonly { readonly path: RelPath; readonly from?: RelPath; readonly after: FileState | null }[],
): ReconcilePlan {
  const gone = entries.filter((entry) => isUnchangedSince(overlay, entry))
  return revertPaths(overlay, new Set(gone.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]))))
}

function isUnchangedSince(overlay: Overlay, { path, after }: { path: RelPath; after: FileState | null }): boolean {
  const now = mergedState(overlay, path)
  // A directory that was made is shown while it is empty: what was put in it since nobody has thrown away.
  if (after?.type === 'dir' && now?.type === 'dir' && overlay.lower.typeOf(path) !== 'dir')
    return overlay.readdir(path).length === 0
  return sameState(leaf(now), leaf(after))
}

/** Nodes that no longer say anything the disk does not say: run after nodes were dropped. The merged view stays as it is. */
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

/** The next edit of a name that left the stage, or of one below a removal that did, notes its base again. */
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

/** @param inherited what of the lower layer would show here if the node were not. */
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
 * Directories that still exist under the old name of a moved directory. No node of the new name refers to them from now on, so a
 * base says that the stage removed them: without it they would pass for directories that came to the disk later.
 */
function keepRemovedDirs(overlay: Overlay, dir: RelPath, result: ReconcilePlan): void {
  if (overlay.lower.typeOf(dir) !== 'dir' || overlay.typeOf(dir) === 'dir') return
  if (!overlay.stage.bases.has(dir)) result.bases.push([dir, { state: stateNow(overlay.lower, dir, ABSENT) }])
  for (const { name } of overlay.lower.readdir(dir)) keepRemovedDirs(overlay, childOf(dir, name), result)
}

/** A directory was removed, and all that is left there came to the disk later. */
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

/** The disk has the directory, and neither what it holds nor what the node shows in its place makes a difference. */
function isReplaced(overlay: Overlay, node: TreeNode, path: RelPath, shows: RelPath | undefined): boolean {
  return overlay.lower.typeOf(path) === 'dir' && covers(overlay, node, shows) && covers(overlay, node, path)
}

/** True when nothing of a lower directory (or no directory) shows through a node: the stage speaks of all its names. */
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
