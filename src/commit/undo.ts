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

/** What a commit left at each path it changed: what its undo is based on. */
export function statesAfter(kept: KeptCommit): Map<string, FileState | null> {
  const states = new Map<string, FileState | null>()
  // Of two changes of one path, one made room for the other: the new thing is what stands there.
  for (const { path, new: after } of kept.changes) states.set(path, after ?? states.get(path) ?? null)
  return states
}

/** What stood at each path a commit changed: what its undo may put there. */
export function statesBefore(kept: KeptCommit): Map<string, FileState | null> {
  const states = new Map<string, FileState | null>()
  for (const { path, old } of kept.changes) states.set(path, old ?? states.get(path) ?? null)
  return states
}

/**
 * Makes the inverse of a commit in a layer over the disk as it is now, last change first. Where the disk has moved on,
 * the inverse is made all the same, on the base the commit left: the layer's owner sees that it drifted. A directory
 * the commit made stays while something of others is in it.
 * @returns the paths where nothing can be made that would be an inverse; then the whole is of no use.
 */
export function stageInverse(layer: WriteLayer, kept: KeptCommit): Refusal[] {
  const inverse: Inverse = { layer, kept, moved: new Set(), whole: [] }
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
  /** Old names that hold their content again: it was moved back. */
  readonly moved: Set<string>
  /** Directories that went back as they are: all that was carried in them is back. */
  readonly whole: CommittedChange[]
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
  const message = `${path}: what stands there or above it by now is of another kind than what the commit left.`
  return { path, reason: 'stale_file', message }
}

function undoExpired(path: string): EscrowError {
  return new EscrowError('undo_expired', `${path}: what the commit replaced has been changed by another of its names.`)
}

type Step = (inverse: Inverse, path: RelPath, change: CommittedChange) => boolean

const INVERSE: Record<CommittedChange['op'], Step> = {
  move: moveBack,
  create: takeAway,
  overwrite: restore,
  delete: restore,
  mkdir: removeIfEmpty,
  rmdir: makeAgain,
  chmod: resetMode,
}

/** What a move carried along is back with it; where the whole could not go back, each of it does by itself. */
const CARRIED: Record<CommittedChange['op'], Step> = {
  ...INVERSE,
  create: unlessWhole(bringBack),
  delete: () => true,
  mkdir: unlessWhole(removeIfEmpty),
  rmdir: unlessWhole((inverse, path, change) => {
    makeAgain(inverse, path, change)
    if (typeAt(inverse.layer, path) !== 'dir') return false
    setMode(inverse.layer, path, change.old?.mode ?? 0o755)
    return true
  }),
}

function unlessWhole(step: Step): Step {
  return (inverse, path, change) => {
    const { path: name, from = name } = change
    const isBack = inverse.whole.some(
      (move) => isWithin(from as RelPath, (move.from ?? move.path) as RelPath) || isWithin(path, move.path as RelPath),
    )
    return isBack || step(inverse, path, change)
  }
}

/** A directory goes back as it is while nothing but what the commit left is in it. */
function moveBack({ layer, kept, whole }: Inverse, path: RelPath, change: CommittedChange): boolean {
  const { from } = change
  if (from === undefined || typeAt(layer, path) !== 'dir' || !isFree(layer, from as RelPath)) return true
  const left = new Set(kept.changes.filter((each) => each.new !== null).map((each) => each.path))
  if (!holdsOnly(layer, path, left)) return true
  makeParents(layer, from as RelPath)
  layer.move(path, from as RelPath)
  whole.push(change)
  return true
}

function holdsOnly(layer: WriteLayer, dir: RelPath, names: ReadonlySet<string>): boolean {
  return layer.readdir(dir).every(({ name, type }) => {
    const path = childOf(dir, name)
    return names.has(path) && (type !== 'dir' || holdsOnly(layer, path, names))
  })
}

function bringBack({ layer, moved }: Inverse, path: RelPath, { from }: CommittedChange): boolean {
  if (from === undefined || leafAt(layer, path) === undefined) return true
  makeParents(layer, from as RelPath)
  if (layer.typeOf(from as RelPath) !== undefined) return false
  layer.move(path, from as RelPath)
  moved.add(from)
  return true
}

/** What a commit created goes; what it moved goes back. */
function takeAway(inverse: Inverse, path: RelPath, { from }: CommittedChange): boolean {
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

/** What a commit replaced or removed comes back: content, target, permission bits. */
function restore(inverse: Inverse, path: RelPath, { old }: CommittedChange): boolean {
  const { layer, kept, moved } = inverse
  const content = kept.before(path)
  // Moved back as it is now: it was one file with the old name's, so what was written to it since is drift.
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

function makeAgain({ layer }: Inverse, path: RelPath, { old }: CommittedChange): boolean {
  makeParents(layer, path)
  const type = layer.typeOf(path)
  if (type === undefined && old !== null) layer.mkdir(path, old.mode)
  return type === undefined || type === 'dir'
}

function resetMode({ layer }: Inverse, path: RelPath, { old, new: after }: CommittedChange): boolean {
  if (old === null || after === null || typeAt(layer, path) !== old.type) return false
  const mode = modeOf(layer, path)
  // A directory has no content to tell that it moved on, so its mode must.
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

/** What stands at a path whose every parent is a directory; undefined where there is no way to it. */
function typeAt(layer: WriteLayer, path: RelPath): EntryType | undefined {
  const isReached = ancestorsOf(path).every((dir) => layer.typeOf(dir) === 'dir')
  return isReached ? layer.typeOf(path) : undefined
}

/** As {@link typeAt}; a directory is in the way. */
function leafAt(layer: WriteLayer, path: RelPath): 'file' | 'symlink' | undefined {
  const type = typeAt(layer, path)
  if (type === undefined || type === 'file' || type === 'symlink') return type
  throw new Errno('EISDIR')
}

/** Parents that are gone by now come back with a new directory's permission bits. Throws ENOTDIR. */
function makeParents(layer: WriteLayer, path: RelPath): void {
  for (const dir of ancestorsOf(path).reverse()) {
    const type = layer.typeOf(dir)
    if (type === undefined) layer.mkdir(dir, 0o777 & ~process.umask())
    else if (type !== 'dir') throw new Errno('ENOTDIR')
  }
}
