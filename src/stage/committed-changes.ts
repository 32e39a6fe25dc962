import type { CommittedPath, RelPath, Stage, Version } from '../../overlay/index.js'
import { committedSince, lastCommit } from '../commit/index.js'
import type { Layout } from '../core/layout.js'
import type { ReviewRecord } from '../review/index.js'

/** The commits and reviews since a stage, or a snapshot of it, was last reconciled. */

/** The position in the review log up to which a stage is reconciled. */
export type Ingested = Pick<Version, 'reviewed' | 'reviewId'>

/** The first record of a review log that is not reconciled yet: 0 if the log was started again after damage. */
export function firstNotIngested({ reviewed, reviewId }: Ingested, reviews: readonly ReviewRecord[]): number {
  return reviews[reviewed - 1]?.id === reviewId ? reviewed : 0
}

/** A commit's number, and its changes on disk. */
export interface CommittedChanges {
  readonly seq: number
  readonly changes: readonly CommittedPath[]
  /** The directories it removed, if it was a commit of the same session. */
  readonly removedDirs: readonly RelPath[]
}

/** The commits to reconcile a stage with. Only the last one if the stage is empty, because then none can concern it. */
export function sessionCommitsSince(layout: Layout, sessionId: string, stage: Stage): CommittedChanges[] {
  const since = stage.settledSeq
  if (!stage.tree.empty || stage.bases.size > 0) return sessionCommitsAfter(layout, sessionId, since)
  const last = lastCommit(layout)
  return last > since ? [{ seq: last, changes: [], removedDirs: [] }] : []
}

/** Whether there is a finished commit that a stage was not reconciled with. */
export function isBehind(layout: Layout, { settledSeq }: Stage): boolean {
  return lastCommit(layout) > settledSeq
}

export function sessionCommitsAfter(layout: Layout, sessionId: string, since: number): CommittedChanges[] {
  return committedSince(layout, since).map(({ seq, changes, sessionId: by }) => {
    const isOwn = by === sessionId
    const isRemovedDir = ({ old, new: after }: (typeof changes)[number]) => old?.type === 'dir' && after === null
    const committed = changes.filter((change) => !isRemovedDir(change))
    return {
      seq,
      changes: committed.map(({ path, new: after }) => ({ path: path as RelPath, after, own: isOwn })),
      removedDirs: isOwn ? changes.filter(isRemovedDir).map(({ path }) => path as RelPath) : [],
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
