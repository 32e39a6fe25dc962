import { ABSENT, stateNow } from './base.js'
import type { FileState } from './change.js'
import { sameState } from './change.js'
import { mergedState } from './diff.js'
import { Overlay } from './overlay.js'
import { isWithin, parentOf, type RelPath, ROOT } from './path.js'
import { type CommittedPath, dropRedundant, reconcileCommitted, reconcileDiscarded } from './reconcile.js'
import type { ReconcilePlan } from './reconcile-plan.js'
import { revertPaths } from './revert.js'
import type { Version } from './snapshot.js'
import { redirects } from './sources.js'
import { Stage } from './stage.js'
import type { SettleStep } from './stage-edit.js'
import { pathsOf } from './tree.js'

/** The commits and discards of a session since a snapshot. */
export interface Since {
  /** Whether there were commits, even without a change of a path named here. */
  readonly isCommitted: boolean
  readonly committed: readonly CommittedPath[]
  readonly discarded: readonly { readonly path: RelPath; readonly from?: RelPath; readonly after: FileState | null }[]
}

/** The parts of a version that a restore leaves out. */
export interface TravelPlan {
  readonly less: SettleStep[]
  /** Paths that are not restored, because the session's own commits changed them since. */
  readonly kept: RelPath[]
}

/**
 * Plans the restore of a snapshot. A path that this session's commits have changed since shows the disk: its old base
 * is not taken for the present one, and the commit is not staged to be undone. Other sessions' commits and a person's
 * discards are reconciled as they would have been at the time.
 */
export function planTravel({ lower }: Overlay, version: Version, since: Since): TravelPlan {
  const { isCommitted, committed, discarded } = since
  if (!isCommitted && discarded.length === 0) return { less: [], kept: [] }
  const there = new Overlay({ lower, stage: Stage.of(version) })
  const less: SettleStep[] = []
  const merge = ({ drop, point, hide, forget }: ReconcilePlan) => {
    if (drop.length + point.length + hide.length + forget.length === 0) return
    less.push({ drop, point, hide, forget })
    const { settledSeq: seq, reviewed } = there.stage
    there.apply({ op: 'settle', t: '0', drop, point, hide, forget, seq, reviewed })
  }
  const isDir = ({ after }: CommittedPath) => after?.type === 'dir'
  const ours = committed.filter((each) => each.own)
  // A directory was made where the snapshot has a file, which is reverted like any other.
  const isLeaf = ({ path }: CommittedPath) => (there.placeOf(path).node?.inode?.type ?? 'dir') !== 'dir'
  const names = ours.filter((each) => !isDir(each) || isLeaf(each)).map(({ path }) => path)
  const made = ours.filter(isDir).map(({ path }) => path)
  const others = committed.filter((each) => !each.own || isDir(each))
  const kept = names.filter((path) => !sameState(mergedState(there, path), stateNow(lower, path, ABSENT)))
  const renamed = redirects(there.stage.tree.root, ROOT).filter((each) => isTouched(each, ours))
  merge(showRenamed(there, renamed))
  merge(revertPaths(there, new Set(names)))
  // A directory shows its staged entries and the disk's: it is committed, and not reverted.
  merge(showDirectories(there, made))
  merge(reconcileCommitted(there, others))
  merge(reconcileDiscarded(there, discarded))
  if (isCommitted) for (const path of emptiedDirectories(there, new Set(made))) merge(dropOne(path))
  merge(dropRedundant(there))
  return { less, kept: [...new Set([...kept, ...renamed.map(({ at }) => at)])].sort() }
}

interface Renamed {
  readonly at: RelPath
  readonly lower: RelPath
}

function isTouched({ at, lower }: Renamed, ours: readonly CommittedPath[]): boolean {
  return ours.some(({ path }) => [at, lower].some((dir) => isWithin(path, dir) || isWithin(dir, path)))
}

/**
 * Shows the disk at both names of a renamed directory, once commits have changed either: the lower directory has other
 * content then. Entries staged in it stay at the new name.
 */
function showRenamed(there: Overlay, renamed: readonly Renamed[]): ReconcilePlan {
  const result: ReconcilePlan = { drop: [], point: [], hide: [], forget: [], bases: [] }
  for (const { at, lower } of renamed) {
    result.drop.push(at)
    if (there.placeOf(parentOf(at)).lower !== parentOf(at) && there.lower.typeOf(at)) result.point.push([at, at])
    if (there.placeOf(lower).node?.whiteout) result.drop.push(lower)
  }
  return result
}

/**
 * Shows the disk's directories in place of those that were created, removed or changed. Entries staged in them stay.
 */
function showDirectories(there: Overlay, paths: readonly RelPath[]): ReconcilePlan {
  const shown = paths.filter((path) => {
    const { node } = there.placeOf(path)
    const isOther = typeof node?.lower === 'string' || (node?.inode && node.inode.type !== 'dir')
    return !isOther && there.lower.typeOf(path) === 'dir' && there.typeOf(parentOf(path)) === 'dir'
  })
  const drop = shown.filter((path) => there.placeOf(path).node)
  const apart = shown.filter((path) => there.placeOf(parentOf(path)).lower !== parentOf(path))
  return { drop, point: apart.map((path) => [path, path]), hide: [], forget: shown, bases: [] }
}

function dropOne(path: RelPath): ReconcilePlan {
  return { drop: [path], point: [], hide: [], forget: [path], bases: [] }
}

/** Empty directories that commits have removed, the deepest first. */
function* emptiedDirectories(there: Overlay, made: ReadonlySet<RelPath>): Generator<RelPath, undefined> {
  for (const path of pathsOf(there.stage.tree.root, ROOT)) {
    const inode = there.placeOf(path).node?.inode
    // A directory of the disk only had its attributes changed. Any other was created, and committed.
    if (inode?.type !== 'dir' || (inode.origin === undefined && !made.has(path))) continue
    const isGone = there.lower.typeOf((inode.origin ?? path) as RelPath) !== 'dir'
    if (isGone && there.readdir(path).length === 0) yield path
  }
}

/** Directories that are missing on disk while entries are staged in them, the topmost first. */
export function lostDirectories(overlay: Overlay): RelPath[] {
  const isLost = (path: RelPath) => {
    const { node } = overlay.placeOf(path)
    return node?.children?.size && !node.inode && !node.whiteout && overlay.typeOf(path) === undefined
  }
  return pathsOf(overlay.stage.tree.root, ROOT).filter(isLost).reverse()
}
