import type { BigIntStats } from 'node:fs'
import type { FileState } from './change.js'
import { type Digest, digest, EMPTY_DIGEST } from './digest.js'
import { fileStamp } from './file-stamp.js'
import { type Lower, typeOfStats } from './lower.js'
import { parentOf, type RelPath, ROOT } from './path.js'
import type { Base, PackSpan } from './stage-edit.js'

/**
 * Bases: the state of the lower layer when a path was first edited or last shown to the model. A stamp (times, size,
 * inode) shows "unchanged" in 2 µs. If it differs, the digest decides, so that a touch does not count as an edit.
 */

/** The base of an absent path. One shared object: a stage may have a hundred thousand of them. */
export const ABSENT: Base = { state: null }

/** The stats of exactly this name. A plain stat would follow a link in a parent to another name. */
function statsAt(lower: Lower, path: RelPath): BigIntStats | undefined {
  const stats = lower.lstatBig(path)
  if (!stats) return undefined
  for (let above = parentOf(path); above !== ROOT; above = parentOf(above))
    if (lower.typeOf(above) !== 'dir') return undefined
  return stats
}

/** The limit in bytes up to which a file's base is kept for a merge. */
export const MERGE_LIMIT = 2 << 20

/** Keeps a content. Returns its digest and place. */
export type Keep = (content: Uint8Array) => { readonly digest: Digest; readonly at: PackSpan }

/** Returns the lower layer's state at a path, with the digest of its content, which is kept if it can be merged. */
export function baseOf(lower: Lower, path: RelPath, stats = statsAt(lower, path), keep?: Keep): Base {
  if (!stats) return ABSENT
  const type = typeOfStats(stats)
  if (type === 'other') return ABSENT
  const mode = Number(stats.mode) & 0o7777
  if (type === 'dir') return { state: { type, digest: EMPTY_DIGEST, mode } }
  if (type === 'symlink') return { state: { type, digest: digest(lower.readlink(path)), mode: 0o777 } }
  const [content, stamp] = [lower.read(path), fileStamp(stats)]
  if (!keep || content.length > MERGE_LIMIT) return { state: { type, digest: digest(content), mode }, stamp }
  const kept = keep(content)
  return { state: { type, digest: kept.digest, mode }, stamp, kept: kept.at }
}

/** Returns a base for content that was just read. The caller takes the stamp before the read. */
export function baseOfContent(content: Uint8Array | string, stats: BigIntStats, known = digest(content)): Base {
  return {
    state: { type: 'file', digest: known, mode: Number(stats.mode) & 0o7777 },
    stamp: fileStamp(stats),
  }
}

/** Returns the lower layer's current state: that of the base if its stamp is the same, else by content. */
export function stateNow(lower: Lower, path: RelPath, base: Base, stats = statsAt(lower, path)): FileState | null {
  if (!stats) return null
  if (base.stamp !== undefined && base.state?.type === 'file' && stats.isFile() && fileStamp(stats) === base.stamp)
    return base.state
  return baseOf(lower, path, stats).state
}
