import {
  ancestorsOf,
  asRelPath,
  codeOf,
  mergedState,
  Overlay,
  openLower,
  type RelPath,
  Stage,
  sameState,
} from '../../overlay/index.js'
import { type CommitEntry, inOrder } from '../commit/index.js'
import { EscrowError } from '../core/api-error.js'

/** The mode of directories that a commit makes only because a new file needs them. */
const IMPLIED_MODE = 0o777

/**
 * A view of the disk with the selected changes, only in memory. The session's stage can change while it is used.
 * @param root the workspace
 * @throws EscrowError `stale_file` if the stage changed while it was read; `unsupported` if the changes do not fit the
 *   disk.
 */
export function scratchStage(root: string, entries: readonly CommitEntry[]): Overlay {
  const overlay = new Overlay({ lower: openLower(root), stage: new Stage() })
  const ordered = inOrder([...entries])
  for (const entry of ordered) {
    try {
      apply(overlay, entry)
    } catch (error) {
      if (codeOf(error) === undefined) throw error
      throw cannotApply(entry, error)
    }
  }
  // A file that moves with its directory may be edited as well: its last entry counts.
  const last = new Map(ordered.map((entry) => [entry.path, entry]))
  for (const { path, new: wanted, op } of last.values())
    if (op !== 'move' && op !== 'rmdir' && !sameState(mergedState(overlay, asRelPath(path)), wanted))
      throw changedMeanwhile(path)
  return overlay
}

function apply(overlay: Overlay, entry: CommitEntry): void {
  const { op, from, carried, new: next } = entry
  const path = asRelPath(entry.path)
  // The move of its directory makes this change.
  if (carried) return
  if (next !== null && op !== 'chmod') makeParents(overlay, path)
  if (op === 'move') {
    if (from !== undefined) overlay.move(asRelPath(from), path)
  } else if (op === 'rmdir') {
    if (overlay.readdir(path).length === 0) overlay.remove(path)
  } else if (next === null) overlay.remove(path)
  else if (op === 'mkdir') makeDirectory(overlay, path, next.mode)
  else if (op === 'chmod') overlay.setattr(path, { mode: next.mode })
  else write(overlay, path, entry)
}

function makeParents(overlay: Overlay, path: RelPath): void {
  for (const dir of ancestorsOf(path).reverse())
    if (overlay.typeOf(dir) === undefined) overlay.mkdir(dir, IMPLIED_MODE & ~process.umask())
}

function makeDirectory(overlay: Overlay, path: RelPath, mode: number): void {
  const type = overlay.typeOf(path)
  if (type !== undefined && type !== 'dir') overlay.remove(path)
  if (type !== 'dir') overlay.mkdir(path, mode)
  overlay.setattr(path, { mode })
}

function write(overlay: Overlay, path: RelPath, { new: next, content, times }: CommitEntry): void {
  if (next === null || content === undefined) return
  const bytes = content()
  const type = overlay.typeOf(path)
  if (type !== undefined && (type !== 'file' || next.type !== 'file')) overlay.remove(path)
  if (next.type === 'symlink') {
    overlay.symlink(Buffer.from(bytes).toString(), path)
    return
  }
  overlay.put(path, bytes, { mode: next.mode })
  overlay.setattr(path, { mode: next.mode, ...times })
}

function cannotApply({ path }: CommitEntry, cause: unknown): EscrowError {
  return new EscrowError('unsupported', `Nothing was checked: ${path} cannot be changed on what is on disk now.`, {
    hint: "Another change may be needed with it. Approve both, or check everything that is staged with '--all'.",
    cause,
  })
}

function changedMeanwhile(path: string): EscrowError {
  return new EscrowError('stale_file', `Nothing was checked: ${path} changed while it was read.`, {
    hint: 'Try again.',
  })
}
