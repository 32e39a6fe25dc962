import type { StagedChange } from './change.js'
import type { Overlay } from './overlay.js'
import { childOf, isWithin, type RelPath, ROOT } from './path.js'
import type { TreeNode } from './tree.js'

/** A path that a commit would change while an unapproved entry still shows its lower content. */
export interface SourceInUse {
  readonly path: RelPath
  /** The staged path that shows it, because it moved there with its directory, without a copy. */
  readonly shownAt: RelPath
}

/**
 * Returns the changes that must not be committed before the staged path that shows their lower content: it would be lost with the old
 * name.
 */
export function sourcesInUse(
  overlay: Overlay,
  approved: readonly StagedChange[],
  all: readonly StagedChange[],
): SourceInUse[] {
  const taken = new Set(approved.map(keyOf))
  const left = all.filter((change) => !taken.has(keyOf(change)))
  return [...filesInUse(overlay, approved, left), ...directoriesInUse(overlay, approved, left)]
}

/** The key of a change. A file that a directory replaces is two changes of one path. */
function keyOf({ path, after }: StagedChange): string {
  return `${after === null ? '-' : '+'}${path}`
}

function namesOf({ path, from }: StagedChange): RelPath[] {
  return from === undefined ? [path] : [path, from]
}

function filesInUse(overlay: Overlay, approved: readonly StagedChange[], left: readonly StagedChange[]): SourceInUse[] {
  const shown = new Map<RelPath, RelPath>()
  for (const { path, after } of left) {
    const { node, lower } = overlay.placeOf(path)
    if (after !== null && !node?.inode && lower !== undefined && lower !== path) shown.set(lower, path)
  }
  return approved.flatMap(namesOf).flatMap((path) => {
    const shownAt = shown.get(path)
    return shownAt === undefined ? [] : [{ path, shownAt }]
  })
}

/** Renamed directories with remaining entries, whose old name must stay until the new one is on disk. */
function directoriesInUse(
  overlay: Overlay,
  approved: readonly StagedChange[],
  left: readonly StagedChange[],
): SourceInUse[] {
  const isIn = (dir: RelPath) => (change: StagedChange) => namesOf(change).some((name) => isWithin(name, dir))
  return redirects(overlay.stage.tree.root, ROOT).flatMap(({ at, lower }) => {
    const isMade = overlay.lower.typeOf(at) !== 'dir' && approved.some((each) => each.after && isWithin(each.path, at))
    if (isMade || left.some(isIn(lower)) || !left.some(isIn(at))) return []
    return approved.filter(isIn(lower)).map(({ path }) => ({ path, shownAt: at }))
  })
}

/** Directories that show the lower content of another name. */
export function redirects(node: TreeNode, path: RelPath): { at: RelPath; lower: RelPath }[] {
  const below = [...(node.children ?? [])].flatMap(([name, child]) => redirects(child, childOf(path, name)))
  return typeof node.lower === 'string' && node.lower !== path ? [{ at: path, lower: node.lower }, ...below] : below
}
