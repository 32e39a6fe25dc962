import type { FileState } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { isPlainPath } from './plan.js'
import { malformedChange } from './refusals.js'
import type { CommitEntry } from './types.js'

/**
 * Refuses an entry that contradicts itself. Looks only at the entry and ignores policy, as the last gate before the
 * disk.
 */
export function assertShape(entry: CommitEntry, seen: Set<string>): void {
  if (!isPlainPath(entry.path))
    throw new EscrowError('path_escape', `${entry.path} is not a plain path below the root.`)
  if (entry.op === 'move') assertSource(entry)
  const reserved = entry.path.split('/').find((segment) => OWN.has(segment.toLowerCase()))
  if (reserved !== undefined)
    throw new EscrowError('protected_path', `${entry.path} is in ${reserved}, which is protected.`)
  // One removal may make room for one new entry at the same path. More than that has no valid order.
  const key = `${kindOf(entry)} ${entry.path}`
  if (seen.has(key)) throw malformedChange(entry.path, 'it is changed twice')
  seen.add(key)
  if (!FITS[entry.op](entry.old, entry.new))
    throw malformedChange(entry.path, `its states do not match the operation ${entry.op}`)
  if (entry.new !== null && (entry.new.mode & ~0o777 & ~allowedBits(entry)) !== 0) {
    throw new EscrowError('protected_path', `${entry.path} would get a setuid, setgid or sticky bit.`)
  }
}

/** A new directory may inherit its parent's set-group-id bit. An existing entry keeps its own bits. */
function allowedBits({ op, old }: CommitEntry): number {
  return op === 'mkdir' ? 0o2000 : old?.type === 'dir' ? old.mode : 0
}

function assertSource({ path, from }: CommitEntry): void {
  if (from === undefined || !isPlainPath(from)) throw malformedChange(path, 'it has no source to move from')
  if (from === path || path.startsWith(`${from}/`)) throw malformedChange(path, 'it is moved into itself')
}

function kindOf({ op, carried, new: next }: CommitEntry): string {
  if (op === 'move') return 'move'
  return `${carried ? 'carried' : ''}${next === null ? '-' : '+'}`
}

const OWN = new Set(['.git', '.orchestration'])

type State = FileState | null

const isLeaf = (state: State) => state?.type === 'file' || state?.type === 'symlink'

const FITS: Record<CommitEntry['op'], (old: State, next: State) => boolean> = {
  create: (old, next) => old === null && isLeaf(next),
  overwrite: (old, next) => isLeaf(old) && isLeaf(next),
  delete: (old, next) => isLeaf(old) && next === null,
  mkdir: (old, next) => old === null && next?.type === 'dir',
  rmdir: (old, next) => old?.type === 'dir' && next === null,
  move: (old, next) => old?.type === 'dir' && next?.type === 'dir' && old.mode === next.mode,
  chmod: (old, next) => old !== null && old.type !== 'symlink' && old.type === next?.type && old.digest === next.digest,
}
