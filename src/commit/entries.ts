import { ancestorsOf, EMPTY_DIGEST, type RelPath, type StageDiff, type StagedChange } from '../../overlay/index.js'
import { defined } from '../core/defined.js'
import { withMoves } from './moves.js'
import type { CommitEntry } from './types.js'

/**
 * The plan's entries for approved changes: the changes themselves, the new directories they need, and the directories
 * that are removed once they are empty.
 */
export function entriesFor(approved: readonly StagedChange[], diff: StageDiff): CommitEntry[] {
  const changed = new Set<string>(
    diff.changes.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from])),
  )
  const entries = approved.flatMap((change) => entriesOf(change).map((entry) => asLinked(entry, change, changed)))
  const createdParents = new Set(entries.flatMap((entry) => (entry.new ? ancestorsOf(entry.path as RelPath) : [])))
  const removedParents = new Set(
    entries.flatMap((entry) => (entry.new === null ? ancestorsOf(entry.path as RelPath) : [])),
  )
  const namedDirs = new Set(
    entries.filter((entry) => entry.op === 'mkdir' || entry.op === 'rmdir').map(({ path }) => path),
  )
  for (const { path, mode } of diff.newDirs) {
    if (createdParents.has(path) && !namedDirs.has(path))
      entries.push({ path, op: 'mkdir', old: null, new: dirState(mode) })
  }
  for (const path of diff.removedDirs) {
    if (removedParents.has(path) && !namedDirs.has(path))
      entries.push({ path, op: 'rmdir', old: dirState(0o777), new: null })
  }
  return withMoves(entries, approved, diff)
}

/** Keeps the names of one file together. Where one of them is on disk and unchanged, the others become links to it. */
function asLinked(entry: CommitEntry, { links, path }: StagedChange, changed: ReadonlySet<string>): CommitEntry {
  if (links === undefined || entry.path !== path || entry.new?.type !== 'file' || entry.op === 'chmod') return entry
  const there = links.find((name) => !changed.has(name))
  const [file = path] = [path, ...links].sort()
  return { ...entry, file, ...defined({ linkTo: there }) }
}

function entriesOf(change: StagedChange): CommitEntry[] {
  const { path, from, kind, before, after } = change
  if (kind === 'delete') return [{ path, op: before?.type === 'dir' ? 'rmdir' : 'delete', old: before, new: null }]
  if (kind === 'mkdir') return [{ path, op: 'mkdir', old: before, new: after }]
  if (kind === 'mode') return [{ path, op: 'chmod', old: before, new: after }]
  const content = () => change.content()
  const times = change.times && { times: change.times }
  if (from === undefined)
    return [{ path, op: before === null ? 'create' : 'overwrite', old: before, new: after, content, ...times }]
  return [
    { path, op: 'create', from, old: null, new: after, content, ...times },
    { path: from, op: 'delete', old: before, new: null },
  ]
}

function dirState(mode: number) {
  return { type: 'dir', digest: EMPTY_DIGEST, mode } as const
}
