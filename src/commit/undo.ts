import {
  ancestorsOf,
  childOf,
  codeOf,
  digest,
  type EntryType,
  Errno,
  type FileState,
  isWithin,
  type RelPath,
  type WriteLayer,
} from '../../overlay/index.js'
import { EscrowError, type Refusal } from '../core/api-error.js'
import type { CommittedChange, KeptCommit } from './history.js'

/** The state a commit left at each changed path, which its undo is based on. */
export function statesAfter(kept: KeptCommit): Map<string, FileState | null> {
  const states = new Map<string, FileState | null>()
  // Of two changes of one path, the first made room for the second: the path has the new entry.
  for (const { path, new: after } of kept.changes) states.set(path, after ?? states.get(path) ?? null)
  return states
}

/** The state before a commit at each changed path, which its undo may restore. */
export function statesBefore(kept: KeptCommit): Map<string, FileState | null> {
  const states = new Map<string, FileState | null>()
  for (const { path, old } of kept.changes) states.set(path, old ?? states.get(path) ?? null)
  return states
}

/**
 * Stages the inverse of a commit in a layer over the current disk, last change first. If the disk has changed since,
 * the inverse is still staged, based on the commit's own state, so that its owner sees the drift. A directory that the
 * commit made stays while it has other entries.
 * @returns the paths without a possible inverse; with any of them the whole undo is useless
 */
export function stageInverse(layer: WriteLayer, kept: KeptCommit): Refusal[] {
  const inverse: Inverse = { layer, kept, moved: new Set(), movedBack: [] }
  const refused: Refusal[] = []
  for (const change of [...kept.changes].reverse()) {
    const refusal = attempt(inverse, change)
    if (refusal !== undefined) refused.push(refusal)
  }
  return refused
}

interface Inverse {
  readonly layer: WriteLayer
  readonly kept: KeptCommit
  /** Old names that have their content again, because it was moved back. */
  readonly moved: Set<string>
  /** Directories that were moved back whole, with everything they carried. */
  readonly movedBack: CommittedChange[]
}

function attempt(inverse: Inverse, change: CommittedChange): Refusal | undefined {
  const { path } = change
  try {
    const step = change.carried ? CARRIED[change.op] : INVERSE[change.op]
    return step(inverse, path as RelPath, change) ? undefined : inTheWay(path)
  } catch (error) {
    if (error instanceof EscrowError) return { path, reason: error.reason, message: error.message }
    const code = codeOf(error)
    if (code !== 'ENOTDIR' && code !== 'ENOTEMPTY' && code !== 'ENOENT' && code !== 'EISDIR') throw error
    return inTheWay(path)
  }
}

function inTheWay(path: string): Refusal {
  const message = `${path}: it, or a directory above it, is now of another kind than the commit left.`
  return { path, reason: 'stale_file', message }
}

function undoExpired(path: string): EscrowError {
  return new EscrowError('undo_expired', `${path}: what the commit replaced was changed through another hard link.`)
}

type Step = (inverse: Inverse, path: RelPath, change: CommittedChange) => boolean

const INVERSE: Record<CommittedChange['op'], Step> = {
  move: moveBack,
  create: removeCreated,
  overwrite: restore,
  delete: restore,
  mkdir: removeIfEmpty,
  rmdir: remakeDirectory,
  chmod: resetMode,
}

/**
 * Undoing a move also moves back the entries that it carried. If the directory could not go back whole, each entry goes
 * back by itself.
 */
const CARRIED: Record<CommittedChange['op'], Step> = {
  ...INVERSE,
  create: unlessWhole(moveCarriedBack),
  delete: () => true,
  mkdir: unlessWhole(removeIfEmpty),
  rmdir: unlessWhole((inverse, path, change) => {
    remakeDirectory(inverse, path, change)
    if (typeAt(inverse.layer, path) !== 'dir') return false
    setMode(inverse.layer, path, change.old?.mode ?? 0o755)
    return true
  }),
}

function unlessWhole(step: Step): Step {
  return (inverse, path, change) => {
    const { path: name, from = name } = change
    const isBack = inverse.movedBack.some(
      (move) => isWithin(from as RelPath, (move.from ?? move.path) as RelPath) || isWithin(path, move.path as RelPath),
    )
    return isBack || step(inverse, path, change)
  }
}

/** A directory is moved back whole if it has only the entries that the commit left in it. */
function moveBack({ layer, kept, movedBack }: Inverse, path: RelPath, change: CommittedChange): boolean {
  const { from } = change
  if (from === undefined || typeAt(layer, path) !== 'dir' || !isFree(layer, from as RelPath)) return true
  const left = new Set(kept.changes.filter((each) => each.new !== null).map((each) => each.path))
  if (!holdsOnly(layer, path, left)) return true
  makeParents(layer, from as RelPath)
  layer.move(path, from as RelPath)
  movedBack.push(change)
  return true
}

function holdsOnly(layer: WriteLayer, dir: RelPath, names: ReadonlySet<string>): boolean {
  return layer.readdir(dir).every(({ name, type }) => {
    const path = childOf(dir, name)
    return names.has(path) && (type !== 'dir' || holdsOnly(layer, path, names))
  })
}

function moveCarriedBack({ layer, moved }: Inverse, path: RelPath, { from }: CommittedChange): boolean {
  if (from === undefined || leafAt(layer, path) === undefined) return true
  makeParents(layer, from as RelPath)
  if (layer.typeOf(from as RelPath) !== undefined) return false
  layer.move(path, from as RelPath)
  moved.add(from)
  return true
}

/** Removes the entries that a commit created, and moves back those that it moved. */
function removeCreated(inverse: Inverse, path: RelPath, { from }: CommittedChange): boolean {
  const { layer } = inverse
  const type = leafAt(layer, path)
  if (type === undefined) return true
  if (from !== undefined && isFree(layer, from as RelPath)) {
    layer.move(path, from as RelPath)
    inverse.moved.add(from)
  } else layer.remove(path)
  return true
}

function isFree(layer: WriteLayer, path: RelPath): boolean {
  const parent = ancestorsOf(path).find((dir) => layer.typeOf(dir) !== 'dir')
  return parent === undefined && layer.typeOf(path) === undefined
}

/** Restores an entry that a commit replaced or removed: content, target, permission bits. */
function restore(inverse: Inverse, path: RelPath, { old }: CommittedChange): boolean {
  const { layer, kept, moved } = inverse
  const content = kept.before(path)
  // Moved back as it is now: it was the same file as the old name, so later writes to it are drift.
  if (old !== null && moved.has(path) && content !== undefined && digest(content) !== old.digest) return true
  if (old === null || content === undefined || digest(content) !== old.digest) throw undoExpired(path)
  makeParents(layer, path)
  const type = moved.has(path) ? layer.typeOf(path) : leafAt(layer, path)
  if (type !== undefined && type !== old.type) layer.remove(path)
  if (old.type === 'symlink') {
    if (layer.typeOf(path) !== undefined) layer.remove(path)
    layer.symlink(Buffer.from(content).toString(), path)
    return true
  }
  if (layer.typeOf(path) === undefined || digest(layer.read(path)) !== old.digest) {
    layer.put(path, content, { mode: old.mode })
  }
  setMode(layer, path, old.mode)
  return true
}

function removeIfEmpty({ layer }: Inverse, path: RelPath): boolean {
  if (typeAt(layer, path) === 'dir' && layer.readdir(path).length === 0) layer.remove(path)
  return true
}

function remakeDirectory({ layer }: Inverse, path: RelPath, { old }: CommittedChange): boolean {
  makeParents(layer, path)
  const type = layer.typeOf(path)
  if (type === undefined && old !== null) layer.mkdir(path, old.mode)
  return type === undefined || type === 'dir'
}

function resetMode({ layer }: Inverse, path: RelPath, { old, new: after }: CommittedChange): boolean {
  if (old === null || after === null || typeAt(layer, path) !== old.type) return false
  const mode = modeOf(layer, path)
  // A directory has no content that shows drift, so its mode must.
  if (mode !== after.mode && mode !== old.mode) return false
  setMode(layer, path, old.mode)
  return true
}

function setMode(layer: WriteLayer, path: RelPath, mode: number): void {
  if (modeOf(layer, path) !== mode) layer.setattr(path, { mode })
}

function modeOf(layer: WriteLayer, path: RelPath): number {
  return (layer.lstat(path)?.mode ?? 0) & 0o7777
}

/** The type of a path whose parents are all directories; undefined if it cannot be reached. */
function typeAt(layer: WriteLayer, path: RelPath): EntryType | undefined {
  const isReached = ancestorsOf(path).every((dir) => layer.typeOf(dir) === 'dir')
  return isReached ? layer.typeOf(path) : undefined
}

/** As {@link typeAt}. Throws EISDIR for a directory. */
function leafAt(layer: WriteLayer, path: RelPath): 'file' | 'symlink' | undefined {
  const type = typeAt(layer, path)
  if (type === undefined || type === 'file' || type === 'symlink') return type
  throw new Errno('EISDIR')
}

/** Makes missing parents with a new directory's permission bits. Throws ENOTDIR. */
function makeParents(layer: WriteLayer, path: RelPath): void {
  for (const dir of ancestorsOf(path).reverse()) {
    const type = layer.typeOf(dir)
    if (type === undefined) layer.mkdir(dir, 0o777 & ~process.umask())
    else if (type !== 'dir') throw new Errno('ENOTDIR')
  }
}
