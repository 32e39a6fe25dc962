import type { CommittedPath, RelPath, Stage, Version } from '../../overlay/index.js'
import { committedSince, lastCommit } from '../commit/index.js'
import type { Layout } from '../core/layout.js'
import type { ReviewRecord } from '../review/index.js'

/** What has happened to a session's changes since a stage, or a snapshot of it, took in the last of it. */

/** How much of the review log was taken in. */
export type Ingested = Pick<Version, 'reviewed' | 'reviewId'>

/** Where what is new in a review log begins: at its start where it was begun anew, as a damaged one is moved away. */
export function firstNotIngested({ reviewed, reviewId }: Ingested, reviews: readonly ReviewRecord[]): number {
  return reviews[reviewed - 1]?.id === reviewId ? reviewed : 0
}

/** A commit by its number, and what it has put on disk. */
export interface CommittedChanges {
  readonly seq: number
  readonly changes: readonly CommittedPath[]
  /** Directories it removed, if it was of this very session. */
  readonly removedDirs: readonly RelPath[]
}

/** The commits a stage has not taken in; the last one alone where none of them can have been of what it holds. */
export function sessionCommitsSince(layout: Layout, sessionId: string, stage: Stage): CommittedChanges[] {
  const since = stage.settledSeq
  if (!stage.tree.empty || stage.bases.size > 0) return sessionCommitsAfter(layout, sessionId, since)
  const last = lastCommit(layout)
  return last > since ? [{ seq: last, changes: [], removedDirs: [] }] : []
}

/** Whether a commit was finished that a stage has not taken in. */
export function isBehind(layout: Layout, { settledSeq }: Stage): boolean {
  return lastCommit(layout) > settledSeq
}

export function sessionCommitsAfter(layout: Layout, sessionId: string, since: number): CommittedChanges[] {
  return committedSince(layout, since).map(({ seq, changes, sessionId: by }) => {
    const own = by === sessionId
    const isRemovedDir = ({ old, new: after }: (typeof changes)[number]) => old?.type === 'dir' && after === null
    const landed = changes.filter((change) => !isRemovedDir(change))
    return {
      seq,
      changes: landed.map(({ path, new: after }) => ({ path: path as RelPath, after, own })),
      removedDirs: own ? changes.filter(isRemovedDir).map(({ path }) => path as RelPath) : [],
    }
  })
}

export function changesOf(commits: readonly CommittedChanges[]): CommittedPath[] {
  return commits.flatMap(({ changes }) => changes)
}

export function discardsOf(record: ReviewRecord) {
  if (record.kind !== 'discard') return []
  return record.entries.map(({ path, from, after }) => ({
    path: path as RelPath,
    ...(from !== undefined && { from: from as RelPath }),
    after,
  }))
}
