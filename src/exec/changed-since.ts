import type { Overlay, RelPath } from '../../overlay/index.js'

/**
 * Whether the file on disk changed after a time (nanoseconds); a directory changes when a name in it is added or
 * removed.
 */
export function changedSince(overlay: Overlay, path: RelPath, time: bigint): boolean {
  const { lower } = overlay.shownAt(path)
  const stats = lower === undefined ? undefined : overlay.lower.lstatBig(lower)
  return stats !== undefined && stats.ctimeNs >= time
}
