import type { StagedChange } from './change.js'
import type { Overlay } from './overlay.js'
import type { RelPath } from './path.js'

/** A path a commit would change while something it does not take still shows what lies there. */
export interface SourceInUse {
  readonly path: RelPath
  /** The staged path that shows it: it moved there with its directory, without a copy. */
  readonly shownAt: RelPath
}

/** What must not be committed without its other half: the content would be gone with its old name. */
export function sourcesInUse(
  overlay: Overlay,
  approved: readonly StagedChange[],
  all: readonly StagedChange[],
): SourceInUse[] {
  // A file that gives way to a directory is two changes of one path; its removal alone takes nothing along.
  const taken = new Set(approved.filter(({ after }) => after !== null).map(({ path }) => path))
  const shown = new Map<RelPath, RelPath>()
  for (const { path, after } of all) {
    const { node, lower } = overlay.placeOf(path)
    if (after !== null && !taken.has(path) && !node?.inode && lower !== undefined && lower !== path)
      shown.set(lower, path)
  }
  const changed = approved.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]))
  return changed.flatMap((path) => {
    const shownAt = shown.get(path)
    return shownAt === undefined ? [] : [{ path, shownAt }]
  })
}
