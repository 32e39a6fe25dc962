import {
  type Base,
  creditedTo,
  mergedState,
  type Overlay,
  parentOf,
  type RelPath,
  type StageEdit,
  sameState,
} from '../../overlay/index.js'
import { defined } from '../core/defined.js'
import { type AmendRecord, amendedContent, type Contents, type ReviewEntry } from '../review/index.js'
import type { Ingested } from './committed-changes.js'

/**
 * The edit that applies a reviewer's amendment to a stage. It is one edit, so that a crash leaves it either done or not
 * begun.
 * @param at nanoseconds since 1970
 */
export function amendmentEdit(
  overlay: Overlay,
  record: AmendRecord,
  contents: Contents,
  { taken, at }: { taken: Ingested; at: string },
): { edit: StageEdit; content?: Uint8Array } {
  const [entry] = record.entries
  const bases = entry === undefined ? [] : basesOf(overlay, record, entry)
  const content = entry === undefined ? undefined : contentFor(overlay, record, entry, contents)
  const path = (entry?.path ?? '') as RelPath
  const { reviewed, reviewId } = taken
  const until = { reviewed, ...defined({ reviewId }) }
  if (content === undefined || entry === undefined) {
    const seq = overlay.stage.settledSeq
    return { edit: { op: 'settle', t: at, drop: [], point: [], hide: [], forget: [], bases, seq, ...until } }
  }
  const { node, lower } = overlay.placeOf(path)
  const { intentId: intent } = creditedTo(overlay, path)
  const owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
  const inode = { mode: entry.after?.mode ?? 0o644, ...owner, ...defined({ origin: lower }) }
  const fresh = node?.inode?.type === 'file' ? {} : { inode }
  // The file's directory was renamed, so the base that the reviewer saw belongs to the old name.
  if (fresh.inode && lower !== undefined && !overlay.stage.bases.has(lower))
    bases.push([lower, { state: entry.before }])
  const edit = {
    op: 'put',
    path,
    t: at,
    taken: until,
    bases,
    ...fresh,
    ...defined({ intent }),
  } as const
  return { edit, content }
}

/** The parent directories of a reviewer's edit that the agent has removed meanwhile; parents first. */
export function directoriesFor(overlay: Overlay, { cause, content, entries: [entry] }: AmendRecord): RelPath[] {
  const missing: RelPath[] = []
  if (cause !== 'edit' || content === undefined || entry === undefined) return missing
  let at = parentOf(entry.path as RelPath)
  for (; overlay.typeOf(at) === undefined; at = parentOf(at)) missing.unshift(at)
  return overlay.typeOf(at) === 'dir' ? missing : []
}

/** The base of a merge. None if the stage has another base by now, because the merge then used other content. */
function basesOf(overlay: Overlay, { onto }: AmendRecord, entry: ReviewEntry): [RelPath, Base][] {
  if (onto === undefined) return []
  const path = (entry.from ?? entry.path) as RelPath
  const base = overlay.stage.bases.get(path)
  if (base !== undefined && !sameState(base.state, entry.before)) return []
  return [[path, overlay.withContent(path, { state: onto })]]
}

/** Undefined if the staged content stays, or if the path can no longer take another. */
function contentFor(overlay: Overlay, record: AmendRecord, entry: ReviewEntry, contents: Contents) {
  const path = entry.path as RelPath
  const isFile = mergedState(overlay, path)?.type === 'file'
  if (!isFile && (overlay.typeOf(path) !== undefined || overlay.typeOf(parentOf(path)) !== 'dir')) return undefined
  return amendedContent(record, isFile ? overlay.read(path) : undefined, contents)?.content
}
