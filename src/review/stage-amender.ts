import { type Digest, digest, type FileState, type StagedChange, sameState } from '../../overlay/index.js'
import { EscrowError, type Refusal } from '../core/api-error.js'
import { BY_DIFF, BY_EDIT } from '../core/hint-commands.js'
import { newId } from '../core/ids.js'
import type { Reviewer } from '../core/people.js'
import { DISK } from './amend.js'
import { BaseDiffs, type BaseSource } from './base-diffs.js'
import type { Contents } from './contents.js'
import { isContentOnly } from './judge.js'
import type { ReviewLog } from './log.js'
import { type Merge, mergeContents } from './merge.js'
import { entryOf } from './record.js'
import type { AmendRecord, HunkRef } from './record-schema.js'

/** The stage that amendments change, and the disk below it. */
export interface AmendableStage extends BaseSource {
  /** Contents that amendments refer to by digest. */
  contents(): Contents
  /** The last commit that the stage has ingested. */
  settledSeq(): number
  /** The state and content on disk now at the path that a change is based on. */
  disk(change: StagedChange): { readonly state: FileState | null; readonly content: Uint8Array | null }
}

type AmendReason = Pick<AmendRecord, 'cause' | 'by'> & Partial<Pick<AmendRecord, 'onto' | 'conflict' | 'reading'>>

/** The result of a merge. */
export interface Merged extends Refusal {
  readonly change: StagedChange
  /** Set if the merge is complete: the new base, and the content to stage on it. */
  readonly clean?: { readonly onto: FileState | null; readonly base: Uint8Array; readonly content: Uint8Array }
}

/**
 * Records changes that a reviewer, or a merge, makes to staged files. The session's stage applies the records when it next
 * reads the review log. The disk does not change.
 */
export class StageAmender {
  constructor(
    private readonly log: Pick<ReviewLog, 'append'>,
    private readonly stage: AmendableStage,
    private readonly diffs = new BaseDiffs(stage),
  ) {}

  /**
   * Replaces a staged file's content.
   * @returns the digest of the content that will be staged
   * @throws EscrowError `unsupported` if no file is staged
   */
  async edit(change: StagedChange, content: Uint8Array | string, by: Reviewer): Promise<Digest> {
    const { path, after } = change
    if (after?.type !== 'file') {
      const message = `${path} cannot be edited: no file is staged there. Nothing was recorded.`
      throw new EscrowError('unsupported', message, { hint: 'Reject or discard the change.' })
    }
    const bytes = typeof content === 'string' ? Buffer.from(content) : content
    if (digest(bytes) !== after.digest) await this.#append(change, { cause: 'edit', by }, bytes)
    return digest(bytes)
  }

  /**
   * Removes hunks from a staged file.
   * @returns the digest of the content that will be staged. If nothing of the change would be left, undefined, and nothing is recorded:
   * the caller then discards the whole change.
   * @throws EscrowError `stale_file` if the base is no longer on disk
   */
  async discardHunks(change: StagedChange, hunks: readonly HunkRef[], by: Reviewer): Promise<Digest | undefined> {
    const diff = this.diffs.of(change)
    if (diff === undefined)
      throw new EscrowError('stale_file', `${change.path} was changed on disk. Nothing was recorded.`)
    const gone = new Set(hunks.map(({ id }) => id))
    const remaining = diff.hunks.filter(({ id }) => !gone.has(id))
    if (remaining.length === 0 && isContentOnly(change)) return undefined
    const content = diff.take(new Set(remaining.map(({ id }) => id)))
    await this.#append(change, { cause: 'discard', by }, content, hunks)
    return digest(content)
  }

  /**
   * Merges a drifted change with the content on disk, three ways. If both sides changed the same lines, the stage gets both
   * between conflict markers. A file that is not text, or that one side removed, stays the same in both places.
   * @param how `reading`: the agent caused the merge by reading the file
   */
  async mergeWithDisk(change: StagedChange, by: Reviewer, how: { readonly reading?: true } = {}): Promise<Merged> {
    const { path, before, after } = change
    const now = this.stage.disk(change)
    if (change.from !== undefined && sameState(now.state, before)) {
      const message = `${path} was created on disk since: another file has the new name.`
      return { change, path, reason: 'stale_file', message }
    }
    const [ours, base] = [after?.type === 'file' ? change.content() : undefined, this.stage.before(change)]
    const theirs = now.state?.type === 'file' ? now.content : null
    const isBase = before !== null && base !== null && digest(base) === before.digest
    const known = before === null ? new Uint8Array() : isBase ? base : undefined
    const names = { ours: 'agent', theirs: DISK }
    const merged = ours && theirs && known ? mergeContents(ours, known, theirs, names) : undefined
    // A merge of contents cannot decide which mode to keep.
    const conflict = (merged?.conflict ?? true) || (before !== null && before.mode !== now.state?.mode)
    if (theirs !== null) this.stage.contents().keep(theirs)
    await this.#append(change, { cause: 'merge', by, onto: now.state, conflict, ...how }, merged?.content)
    const clean = !conflict && merged && theirs ? { onto: now.state, base: theirs, content: merged.content } : undefined
    return { change, ...(clean && { clean }), path, reason: 'stale_file', message: `${path} ${describeMerge(merged)}.` }
  }

  /** Stores both contents before the record that names them. */
  async #append(
    change: StagedChange,
    reason: AmendReason,
    content: Uint8Array | undefined,
    hunks?: readonly HunkRef[],
  ): Promise<void> {
    const contents = this.stage.contents()
    if (content !== undefined) contents.keep(change.content())
    const entries = [{ ...entryOf(change), ...(hunks && { hunks: [...hunks] }) }]
    await this.log.append({
      kind: 'amend',
      id: newId(),
      at: new Date().toISOString(),
      entries,
      seq: this.stage.settledSeq(),
      ...reason,
      ...(content !== undefined && { content: contents.keep(content) }),
    })
  }
}

function describeMerge(merged: Merge | undefined): string {
  if (merged === undefined)
    return 'changed on disk and cannot be merged; the disk and the stage keep their own versions'
  return merged.conflict
    ? 'changed on disk in the same lines; the stage has both versions between conflict markers'
    : 'was merged with the file on disk'
}

/** The refusal of a merged change, in the result of a commit that took others. */
export function needsApproval({ path, message }: Merged): Refusal {
  return { path, reason: 'needs_approval', message }
}

/** The error of a commit that only merged: nothing reached the disk, and the merged changes need a verdict. */
export function mergedCommit(merged: readonly Merged[]): EscrowError {
  const refused = merged.map(({ path, reason, message }) => ({ path, reason, message }))
  const message = `Nothing was committed. ${refused.map((each) => each.message).join(' ')}`
  const lookAgain = `A merged change needs a new verdict: look at it ${BY_DIFF}, approve it, then commit.`
  const hasConflict = merged.some(({ clean }) => clean === undefined)
  const hint = hasConflict ? `First resolve the conflict ${BY_EDIT}. ${lookAgain}` : lookAgain
  return new EscrowError('stale_file', message, { refused, hint })
}
