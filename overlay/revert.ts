import type { EntryType } from './layer.js'
import type { Overlay } from './overlay.js'
import { ancestorsOf, childOf, isWithin, nameOf, parentOf, type RelPath } from './path.js'
import type { ReconcilePlan } from './reconcile-plan.js'

/**
 * Reverts names of a stage, so that each shows the disk again. All others stay as they are. A name that moved or was
 * removed with its directory is first separated from its neighbours. A name stays staged if another entry has its
 * place.
 */
export function revertPaths(overlay: Overlay, paths: ReadonlySet<RelPath>): ReconcilePlan {
  const names = new Set([...paths].filter((name) => !isTaken(overlay, name, paths)))
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

/** Whether a used directory has a name's place, or a file has the place of one of its parents. */
function isTaken(overlay: Overlay, name: RelPath, names: ReadonlySet<RelPath>): boolean {
  const isLeaf = (type: EntryType | undefined) => type !== undefined && type !== 'dir'
  if (ancestorsOf(name).some((dir) => !names.has(dir) && isLeaf(overlay.typeOf(dir)))) return true
  const isOurs = overlay.lower.typeOf(name) !== 'dir' || typeof overlay.placeOf(name).node?.lower === 'string'
  return isOurs && overlay.typeOf(name) === 'dir' && showsMore(overlay, name, names)
}

/** The topmost removed or renamed directory that includes a name. */
function coverOf(overlay: Overlay, name: RelPath): RelPath | undefined {
  return ancestorsOf(name).findLast((dir) => {
    const { node } = overlay.placeOf(dir)
    return node?.whiteout === true || typeof node?.lower === 'string'
  })
}

/** Shows a directory of the disk again, without the entries that stay removed. Entries staged in it stay. */
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
  // The file that the directory replaced stays removed, unless it is reverted too.
  else if (below !== undefined && !names.has(dir)) result.hide.push(dir)
}

/** Removes a renamed directory with its last name. */
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
  // The lower directory may no longer exist.
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
