import { type Digest, digest, type FileState, type StagedChange, sameState } from '../../overlay/index.js'
import { EscrowError, type Refusal } from '../core/api-error.js'
import { newId } from '../core/ids.js'
import type { Reviewer } from '../core/people.js'
import { DISK } from './amend.js'
import { type Bases, baseDiff } from './change-set.js'
import type { Contents } from './contents.js'
import { isContentOnly } from './judge.js'
import type { ReviewLog } from './log.js'
import { mergeContents } from './merge.js'
import { type AmendRecord, entryOf, type HunkRef } from './record.js'

/** What an amendment of a stage needs of the other rooms. */
export interface AmendDeps extends Bases {
  readonly log: ReviewLog
  readonly contents: () => Contents
  /** The last commit the stage has taken in. */
  settledSeq(): number
  /** What stands on disk now where a change is based. */
  disk(change: StagedChange): { readonly state: FileState | null; readonly content: Uint8Array | null }
}

type AmendReason = Pick<AmendRecord, 'cause' | 'by'> & Partial<Pick<AmendRecord, 'onto' | 'conflict' | 'reading'>>

/** Writes an amendment down: what it replaces and what it puts there are on disk before the record names them. */
async function amend(
  deps: AmendDeps,
  change: StagedChange,
  said: AmendReason,
  content: Uint8Array | undefined,
  hunks?: readonly HunkRef[],
): Promise<void> {
  const contents = deps.contents()
  if (content !== undefined) contents.keep(change.content())
  const entries = [{ ...entryOf(change), ...(hunks && { hunks: [...hunks] }) }]
  await deps.log.append({
    kind: 'amend',
    id: newId(),
    at: new Date().toISOString(),
    entries,
    seq: deps.settledSeq(),
    ...said,
    ...(content !== undefined && { content: contents.keep(content) }),
  })
}

/** Puts a reviewer's content in the place of a staged one. Answers what is to be staged then. */
export async function editStaged(
  deps: AmendDeps,
  change: StagedChange,
  content: Uint8Array | string,
  by: Reviewer,
): Promise<Digest> {
  const { path, after } = change
  if (after?.type !== 'file') {
    const message = `${path} cannot be edited: no file is staged there. Nothing was recorded.`
    throw new EscrowError('unsupported', message, { hint: 'Reject or discard the change.' })
  }
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  if (digest(bytes) !== after.digest) await amend(deps, change, { cause: 'edit', by }, bytes)
  return digest(bytes)
}

/**
 * Takes hunks out of a staged file. Answers what is to be staged then; undefined, with nothing recorded, where nothing
 * of the change would be left: then the change itself can go.
 */
export async function discardHunks(
  deps: AmendDeps,
  change: StagedChange,
  hunks: readonly HunkRef[],
  by: Reviewer,
): Promise<Digest | undefined> {
  const diff = baseDiff(change, deps)
  if (diff === undefined)
    throw new EscrowError('stale_file', `${change.path} was changed on disk. Nothing was recorded.`)
  const gone = new Set(hunks.map(({ id }) => id))
  const left = diff.hunks.filter(({ id }) => !gone.has(id))
  if (left.length === 0 && isContentOnly(change)) return undefined
  const content = diff.take(new Set(left.map(({ id }) => id)))
  await amend(deps, change, { cause: 'discard', by }, content, hunks)
  return digest(content)
}

/** What a merge came to. */
export interface Merged extends Refusal {
  readonly change: StagedChange
  /** Where nothing of either side is lost or left to decide: the new base, and what is to be staged on it. */
  readonly clean?: { readonly onto: FileState | null; readonly base: Uint8Array; readonly content: Uint8Array }
}

/**
 * Puts what the disk holds now under a change whose base has moved: lines that only one side changed are taken from
 * it. Where both changed the same, the stage gets both between markers; what is no text, or is gone on one side, stays
 * in both places as it is. The disk is not touched.
 */
export async function mergeMoved(
  deps: AmendDeps,
  change: StagedChange,
  by: Reviewer,
  how: { readonly reading?: true } = {},
): Promise<Merged> {
  const { path, before, after } = change
  const now = deps.disk(change)
  if (change.from !== undefined && sameState(now.state, before)) {
    const message = `${path} has come to stand on disk since: another file is in the way of the renamed one.`
    return { change, path, reason: 'stale_file', message }
  }
  const [ours, base] = [after?.type === 'file' ? change.content() : undefined, deps.before(change)]
  const theirs = now.state?.type === 'file' ? now.content : null
  const isBase = before !== null && base !== null && digest(base) === before.digest
  const known = before === null ? new Uint8Array() : isBase ? base : undefined
  const names = { ours: 'agent', theirs: DISK }
  const merged = ours && theirs && known ? mergeContents(ours, known, theirs, names) : undefined
  // Whose mode is meant no merge can tell.
  const conflict = (merged?.conflict ?? true) || (before !== null && before.mode !== now.state?.mode)
  if (theirs !== null) deps.contents().keep(theirs)
  await amend(deps, change, { cause: 'merge', by, onto: now.state, conflict, ...how }, merged?.content)
  const said =
    merged === undefined
      ? 'was changed on disk and cannot be merged; both versions stay, the one on disk and the one in the stage'
      : merged.conflict
        ? 'was changed on disk in the same lines; the stage has both between conflict markers'
        : 'was merged with what is on disk now'
  const clean = !conflict && merged && theirs ? { onto: now.state, base: theirs, content: merged.content } : undefined
  return { change, ...(clean && { clean }), path, reason: 'stale_file', message: `${path} ${said}.` }
}

/** What a commit that took others says of it. */
export function needsApproval({ path, message }: Merged): Refusal {
  return { path, reason: 'needs_approval', message }
}

/** The error of a commit that merged: nothing is on disk, and what was merged needs a verdict. */
export function mergedCommit(merged: readonly Merged[]): EscrowError {
  const refused = merged.map(({ path, reason, message }) => ({ path, reason, message }))
  const message = `Nothing was committed. ${refused.map((each) => each.message).join(' ')}`
  const hint = 'Look at changes() again: what was merged needs a verdict of its own. Then commit.'
  return new EscrowError('stale_file', message, { refused, hint })
}
