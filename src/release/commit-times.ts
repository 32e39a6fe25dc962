import { asRelPath, type Overlay } from '../../overlay/index.js'
import type { CommitEntry } from '../commit/index.js'

/** Nanoseconds between two files of a commit. Node's `utimes` takes a float of seconds, exact to some microseconds. */
const STEP = 10_000n

/**
 * Gives committed files modification times in the order in which the session wrote them, the last one `now`. Build tools
 * compare these times: a source edited after its object file was built must stay newer than that file.
 */
export function withWrittenOrder(
  overlay: Overlay,
  entries: readonly CommitEntry[],
  now = BigInt(Date.now()) * 1_000_000n,
): readonly CommitEntry[] {
  const written = new Map<CommitEntry, bigint>()
  for (const entry of entries) {
    if (entry.times !== undefined || entry.new?.type !== 'file' || entry.content === undefined) continue
    const inode = overlay.placeOf(asRelPath(entry.path)).node?.inode
    if (inode !== undefined) written.set(entry, inode.mtimeNs)
  }
  const moments = [...new Set(written.values())].sort((a, b) => (a < b ? -1 : 1))
  if (moments.length < 2) return entries
  const times = new Map(moments.map((at, rank) => [at, now - BigInt(moments.length - 1 - rank) * STEP]))
  return entries.map((entry) => {
    const mtimeNs = times.get(written.get(entry) ?? -1n)
    return mtimeNs === undefined ? entry : { ...entry, times: { atimeNs: mtimeNs, mtimeNs } }
  })
}
