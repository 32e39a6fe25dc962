import type { RelPath } from '../../overlay/index.js'

/** Changes of a path since the command started. */
export interface ConflictCheck {
  /** The path has changed since the command saw it. */
  isStale(path: RelPath): boolean
  /** The contents of a directory have changed since the command saw them, so it is not removed as a whole. */
  isStaleTree(dir: RelPath): boolean
  /** The command could not see the path, or an ancestor of it. */
  isClosed(path: RelPath): boolean
}

/** For effects that a person has chosen to stage, whatever has changed. */
export const NO_CONFLICTS: ConflictCheck = { isStale: () => false, isStaleTree: () => false, isClosed: () => false }
