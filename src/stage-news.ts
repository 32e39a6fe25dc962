import type { Landed, RelPath, Stage, Version } from '../overlay/index.js'
import { committedSince, lastCommit } from './commit/index.js'
import type { Layout } from './core/layout.js'
import type { ReviewRecord } from './review/record.js'

/** What has happened to a session's changes since a stage, or a snapshot of it, took in the last of it. */

/** How much of the review log was taken in. */
export type TakenIn = Pick<Version, 'reviewed' | 'reviewId'>

/** All of a log that was begun anew: a damaged one is moved away. */
export function reviewsSince(
  { reviewed, reviewId }: TakenIn,
  reviews: readonly ReviewRecord[],
): readonly ReviewRecord[] {
  return reviews[reviewed - 1]?.id === reviewId ? reviews.slice(reviewed) : reviews
}

/** What commits have put on disk, and the number of the last one looked at. */
export function landedSince(layout: Layout, sessionId: string, stage: Stage): { landed: Landed[]; seq: number } {
  const since = stage.settledSeq
  // Nothing is staged that a commit could have been of: what it did need not be read.
  if (stage.tree.empty && stage.bases.size === 0) return { landed: [], seq: Math.max(since, lastCommit(layout)) }
  return landedAfter(layout, sessionId, since)
}

export function landedAfter(layout: Layout, sessionId: string, since: number): { landed: Landed[]; seq: number } {
  const commits = committedSince(layout, since)
  const landed = commits.flatMap((commit) =>
    commit.changes
      .filter(({ old, new: after }) => old?.type !== 'dir' || after !== null)
      .map(({ path, new: after }) => ({ path: path as RelPath, after, own: commit.sessionId === sessionId })),
  )
  return { landed, seq: commits.at(-1)?.seq ?? since }
}

export function discardsOf(record: ReviewRecord) {
  if (record.kind !== 'discard') return []
  return record.entries.map(({ path, from, after }) => ({
    path: path as RelPath,
    ...(from !== undefined && { from: from as RelPath }),
    after,
  }))
}
