import type { Lower, Overlay, RelPath } from '../../overlay/index.js'

const SECOND = 1_000_000_000n

/** The names of the disk that a path shows. */
interface Shown {
  shownAt(path: RelPath): Pick<ReturnType<Overlay['shownAt']>, 'lower'>
  readonly lower: Pick<Lower, 'lstatBig'>
}

/**
 * Whether the file on disk changed after a time (nanoseconds); a directory changes when a name in it is added or
 * removed. If the file system keeps whole seconds, any change in the same second counts: it may be the later one.
 */
export function changedSince(overlay: Shown, path: RelPath, time: bigint): boolean {
  const { lower } = overlay.shownAt(path)
  const stats = lower === undefined ? undefined : overlay.lower.lstatBig(lower)
  if (stats === undefined) return false
  const isCoarse = stats.ctimeNs % SECOND === 0n
  return stats.ctimeNs >= (isCoarse ? time - (time % SECOND) : time)
}
