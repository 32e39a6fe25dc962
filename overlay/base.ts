import type { BigIntStats } from 'node:fs'
import type { FileState } from './change.js'
import { type Digest, digest, EMPTY_DIGEST } from './digest.js'
import { fileStamp } from './file-stamp.js'
import { type Lower, typeOfStats } from './lower.js'
import { parentOf, type RelPath, ROOT } from './path.js'
import type { Base, PackSpan } from './stage-edit.js'

/**
 * Bases: what the lower layer held when a path was first touched or last shown to the model. A stamp (times, size,
 * inode) tells "unchanged" in 2 µs; the digest decides when it differs, so a touch is never taken for an edit.
 */

/** Nothing was there. One object for all: a stage may have a hundred thousand of them. */
export const ABSENT: Base = { state: null }

/** What the disk has by this very name: asked for it, it would go through a link above, to what has another. */
function statsAt(lower: Lower, path: RelPath): BigIntStats | undefined {
  const stats = lower.lstatBig(path)
  if (!stats) return undefined
  for (let above = parentOf(path); above !== ROOT; above = parentOf(above))
    if (lower.typeOf(above) !== 'dir') return undefined
  return stats
}

/** Bytes of a file up to which its base is kept for a merge. */
export const MERGE_LIMIT = 2 << 20

/** Keeps a content; answers what was kept, and where. */
export type Keep = (content: Uint8Array) => { readonly digest: Digest; readonly at: PackSpan }

/** The lower layer's state at a path, its content digested, and kept where it can be merged. */
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

/** A base for content just read: the stamp is taken before the read by the caller. */
export function baseOfContent(content: Uint8Array | string, stats: BigIntStats, known = digest(content)): Base {
  return {
    state: { type: 'file', digest: known, mode: Number(stats.mode) & 0o7777 },
    stamp: fileStamp(stats),
  }
}

/** The lower layer's state now, given a base: by the stamp where it still fits, else by content. */
export function stateNow(lower: Lower, path: RelPath, base: Base, stats = statsAt(lower, path)): FileState | null {
  if (!stats) return null
  if (base.stamp !== undefined && base.state?.type === 'file' && stats.isFile() && fileStamp(stats) === base.stamp)
    return base.state
  return baseOf(lower, path, stats).state
}
