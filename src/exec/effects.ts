import { digest, type FileState, type Overlay, type RelPath } from '../../overlay/index.js'
import type { Effect } from '../terminal/index.js'

export const ABSENT_EFFECT = 'gone'
export const DIRECTORY = 'dir'

/** Whether a command's layer has what is staged there; what it was writing just then is no such thing. */
export function isSame(effect: Effect, staged: FileState | null): boolean {
  try {
    if (effect.kind === 'gone') return staged === null
    if (effect.kind === 'dir') return staged?.type === 'dir'
    if (effect.kind === 'symlink') return staged?.type === 'symlink' && staged.digest === digest(effect.target)
    return effect.kind === 'file' && staged?.type === 'file' && staged.digest === digest(effect.read())
  } catch {
    return false
  }
}

/** Equal for effects that are the same. */
export function tokenOf(effect: Effect): string {
  if (effect.kind === 'file') return effect.stamp
  if (effect.kind === 'dir') return `${DIRECTORY} ${effect.mode}`
  return effect.kind === 'symlink' ? `link ${effect.target}` : effect.kind
}

/** Whether the disk's own came, or was changed, after a moment: a directory where a name in it came or went. */
export function changedSince(overlay: Overlay, path: RelPath, moment: bigint): boolean {
  const { lower } = overlay.placeOf(path)
  const stats = lower === undefined ? undefined : overlay.lower.lstatBig(lower)
  return stats !== undefined && stats.ctimeNs >= moment
}
