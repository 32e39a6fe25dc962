import type { CommitOp, PlannedChange } from './types.js'

type Orderable = Pick<PlannedChange, 'path' | 'op' | 'new' | 'from' | 'carried'>

/**
 * Sorts changes into the order in which they can be applied. A name is freed before it is used again. Parents come
 * before children. A directory loses its write permission after its children changed, and is removed last.
 */
export function inOrder<T extends Orderable>(changes: readonly T[]): T[] {
  const created = new Set(changes.filter((change) => change.new !== null).map((change) => change.path))
  // Entries that do not move along with a directory leave it before it moves.
  const moving = new Set(changes.flatMap(({ op, from }) => (op === 'move' && from !== undefined ? [from] : [])))
  const ranked = changes.map((change) => ({
    change,
    rank: rankOf(change, created, moving),
    depth: change.path.split('/').length,
  }))
  return ranked
    .sort((a, b) => a.rank - b.rank || (DEEPEST_FIRST.has(a.rank) ? b.depth - a.depth : a.depth - b.depth))
    .map(({ change }) => change)
}

const DEEPEST_FIRST = new Set([2, 6, 7])

function rankOf(change: Orderable, created: Set<string>, moving: Set<string>): number {
  // Before their move, so that an undo, which goes backwards, reverts the move first.
  if (change.carried) return 1
  if (change.op === 'chmod' && change.new?.type === 'dir') return opens(change.new.mode) ? 0 : 7
  if (change.op === 'rmdir') return isAtOrBelow(change.path, created) || isAtOrBelow(change.path, moving) ? 2 : 6
  const ranks: Record<Exclude<CommitOp, 'rmdir'>, number> = {
    delete: 1,
    mkdir: 3,
    move: 3,
    create: 4,
    overwrite: 4,
    chmod: 5,
  }
  return ranks[change.op]
}

/** Whether the owner can read and change a directory of this mode. */
export function opens(mode: number): boolean {
  return (mode & 0o700) === 0o700
}

/** Whether the path or one of its parents is in `paths`. */
export function isAtOrBelow(path: string, paths: ReadonlySet<string>): boolean {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
    if (paths.has(path.slice(0, end))) return true
  }
  return false
}
