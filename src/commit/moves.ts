import {
  type DirectoryMove,
  EMPTY_DIGEST,
  isWithin,
  type RelPath,
  type StageDiff,
  type StagedChange,
} from '../../overlay/index.js'
import type { CommitEntry } from './types.js'

/**
 * Commits a renamed directory by one rename(2), with everything in it, if all of its changes are approved. The changes
 * it carries are marked, and later edits in it become changes at the new name. Otherwise each file moves by itself.
 */
export function withMoves(
  entries: readonly CommitEntry[],
  approved: readonly StagedChange[],
  diff: StageDiff,
): CommitEntry[] {
  const taken = new Set(approved.map(keyOf))
  const moving: DirectoryMove[] = []
  for (const move of [...diff.moves].sort((a, b) => a.from.length - b.from.length)) {
    // A file that leaves a moving directory is moved separately, because nested moves have no order that is always
    // right.
    if (!moving.some(({ from }) => isWithin(move.from, from)) && isWhole(move, diff, taken)) moving.push(move)
  }
  return moving.reduce<CommitEntry[]>((all, move) => [...carriedBy(move, all, diff), moveOf(move)], [...entries])
}

function keyOf({ path, after }: StagedChange): string {
  return `${after === null ? '-' : '+'}${path}`
}

/**
 * Whether everything that was in the directory, and everything in it now, is approved. Entries that do not move along
 * are removed at their old name first.
 */
function isWhole(move: DirectoryMove, diff: StageDiff, taken: ReadonlySet<string>): boolean {
  const modes = modesOf(diff)
  const isKept = (path: RelPath) => (modes.get(movePath(move, path)) ?? modeOf(diff, path)) === modeOf(diff, path)
  if (!diff.removedDirs.filter((path) => isWithin(path, move.from)).every(isKept)) return false
  return diff.changes.every((change) => {
    const { path, from = path, drifted } = change
    if (!isWithin(from, move.from) && !isWithin(path, move.to)) return true
    return !drifted && taken.has(keyOf(change))
  })
}

function modesOf({ newDirs }: StageDiff): Map<string, number> {
  return new Map(newDirs.map(({ path, mode }) => [path, mode]))
}

function movePath({ from, to }: DirectoryMove, path: string): string {
  return `${to}${path.slice(from.length)}`
}

function modeOf(diff: StageDiff, path: RelPath): number {
  return Number((diff.look(path)?.mode ?? 0n) & 0o7777n)
}

function moveOf({ from, to, mode }: DirectoryMove): CommitEntry {
  const state = { type: 'dir', digest: EMPTY_DIGEST, mode } as const
  return { path: to, op: 'move', from, at: from, old: state, new: state }
}

function carriedBy(move: DirectoryMove, entries: readonly CommitEntry[], diff: StageDiff): CommitEntry[] {
  const made = modesOf(diff)
  const dirs = diff.removedDirs.filter((path) => isWithin(path, move.from) && made.has(movePath(move, path)))
  const gone = new Map(entries.filter(({ op }) => op === 'delete').map((entry) => [entry.path, entry.old]))
  const movesAlong = ({ path, op, from }: CommitEntry) =>
    op === 'create' && from !== undefined && isWithin(from as RelPath, move.from) && path === movePath(move, from)
  const names = new Set<string>(dirs.flatMap((path) => [path, movePath(move, path)]))
  for (const { from } of entries.filter(movesAlong)) if (from !== undefined) names.add(from)
  return entries.flatMap((entry): CommitEntry[] => {
    const { path, op, from } = entry
    if (names.has(path) && (op === 'mkdir' || entry.new === null)) return [{ ...entry, carried: true }]
    const old = from === undefined ? undefined : gone.get(from)
    if (from === undefined || !old || !movesAlong(entry)) return [entry]
    return [{ ...entry, new: old, carried: true }, ...editAfter(entry, from, old)]
  })
}

/** The change of content or mode of an entry in a renamed directory. */
function editAfter(
  { path, new: next, content, times }: CommitEntry,
  at: string,
  old: CommitEntry['old'],
): CommitEntry[] {
  if (next === null || old === null) return []
  const isSame = next.type === old.type && next.digest === old.digest
  if (isSame) return next.mode === old.mode ? [] : [{ path, at, op: 'chmod', old, new: next }]
  return [{ path, at, op: 'overwrite', old, new: next, ...(content && { content }), ...(times && { times }) }]
}
