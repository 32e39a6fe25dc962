import type { EntryType } from './layer.js'
import type { Overlay } from './overlay.js'
import { ancestorsOf, childOf, isWithin, nameOf, parentOf, type RelPath } from './path.js'
import type { ReconcilePlan } from './reconcile-plan.js'

/**
 * Takes names out of a stage: each shows again what the disk has under it, and all others go on showing what they
 * show. A name that went with its directory is first told apart from its neighbours. One that cannot come back while
 * something else stays, as its place is taken, stays too.
 */
export function revertPaths(overlay: Overlay, asked: ReadonlySet<RelPath>): ReconcilePlan {
  const names = new Set([...asked].filter((name) => !isTaken(overlay, name, asked)))
  const result: ReconcilePlan = { drop: [], point: [], hide: [], forget: [...names], bases: [] }
  const covers = new Map<RelPath, RelPath[]>()
  for (const name of names) {
    const cover = coverOf(overlay, name)
    if (cover === undefined) showOwn(overlay, name, names, result)
    else covers.set(cover, [...(covers.get(cover) ?? []), name])
  }
  for (const [cover, below] of covers) {
    if (overlay.placeOf(cover).node?.whiteout) uncover(overlay, cover, names, result)
    else takeFromMoved(overlay, cover, below, names, result)
  }
  return result
}

/** True where a directory that is still in use stands in a name's place, or a file in that of a directory above it. */
function isTaken(overlay: Overlay, name: RelPath, names: ReadonlySet<RelPath>): boolean {
  const isLeaf = (type: EntryType | undefined) => type !== undefined && type !== 'dir'
  if (ancestorsOf(name).some((dir) => !names.has(dir) && isLeaf(overlay.typeOf(dir)))) return true
  const isOurs = overlay.lower.typeOf(name) !== 'dir' || typeof overlay.placeOf(name).node?.lower === 'string'
  return isOurs && overlay.typeOf(name) === 'dir' && showsMore(overlay, name, names)
}

/** The removed or renamed directory a name went with: the topmost. */
function coverOf(overlay: Overlay, name: RelPath): RelPath | undefined {
  return ancestorsOf(name).findLast((dir) => {
    const { node } = overlay.placeOf(dir)
    return node?.whiteout === true || typeof node?.lower === 'string'
  })
}

/** What the disk has there comes back, without what is still to go; what is staged in it stays. */
function uncover(overlay: Overlay, dir: RelPath, names: ReadonlySet<RelPath>, result: ReconcilePlan): void {
  result.drop.push(dir)
  const visit = (at: RelPath): void => {
    for (const { name, type } of overlay.lower.readdir(at)) {
      const path = childOf(at, name)
      const { node } = overlay.placeOf(path)
      if (names.has(path)) continue
      const isParted = node?.inode?.type === 'dir' || [...names].some((each) => isWithin(each, path))
      if (type === 'dir' && isParted) visit(path)
      else if (!node) result.hide.push(path)
    }
  }
  const below = overlay.lower.typeOf(dir)
  if (below === 'dir') visit(dir)
  // The file the directory had replaced stays removed, unless it is asked for too.
  else if (below !== undefined && !names.has(dir)) result.hide.push(dir)
}

/** With its last name the renamed directory goes as well. */
function takeFromMoved(
  overlay: Overlay,
  dir: RelPath,
  below: readonly RelPath[],
  names: ReadonlySet<RelPath>,
  result: ReconcilePlan,
): void {
  for (const name of below) showOwn(overlay, name, names, result)
  if (!showsMore(overlay, dir, names)) uncover(overlay, dir, names, result)
}

function showsMore(overlay: Overlay, dir: RelPath, names: ReadonlySet<RelPath>): boolean {
  // What a renamed directory showed may have gone from the disk.
  if (overlay.typeOf(dir) !== 'dir') return false
  return overlay.readdir(dir).some(({ name, type }) => {
    const path = childOf(dir, name)
    const isMade = overlay.placeOf(path).node?.inode !== undefined
    return !names.has(path) && (type !== 'dir' || isMade || showsMore(overlay, path, names))
  })
}

function showOwn(overlay: Overlay, name: RelPath, names: ReadonlySet<RelPath>, result: ReconcilePlan): void {
  const { node, lower } = overlay.placeOf(name)
  if (node && lower === undefined) uncover(overlay, name, names, result)
  else if (node) result.drop.push(name)
  const shown = overlay.placeOf(parentOf(name)).lower
  if (shown === parentOf(name)) return
  if (overlay.lower.typeOf(name) !== undefined) result.point.push([name, name])
  else if (shown !== undefined && overlay.lower.typeOf(childOf(shown, nameOf(name))) !== undefined)
    result.hide.push(name)
}
