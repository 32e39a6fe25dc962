import type { Feedback } from '../core/api.js'
import {
  type Amendment,
  amendmentsFor,
  type HunkRef,
  type Rejection,
  type ReviewRecord,
  rejectionsFor,
} from '../review/index.js'

/** Feedback that was not delivered to the agent. */
export interface Undelivered {
  readonly feedback: Feedback
  /** It counts as delivered once the notes {@link DELIVERED_NOTE} have all these keys. */
  readonly keys: readonly string[]
}

/** The undelivered feedback of a session. */
export interface PendingFeedback {
  undelivered(): readonly Undelivered[]
  /** Marks feedback as delivered. Ignores unknown keys. */
  markDelivered(keys: readonly string[]): void
}

/** Kind of the notes in the stage's log that hold keys of delivered feedback. */
export const DELIVERED_NOTE = 'told'

/**
 * The feedback of a review log that was not delivered.
 * @param delivered the keys of the notes {@link DELIVERED_NOTE}
 */
export function undeliveredFeedback(reviews: readonly ReviewRecord[], delivered: ReadonlySet<unknown>): Undelivered[] {
  const rejections = rejectionsFor(reviews)
  const isNew = (each: { readonly id: string; readonly path: string }) => !delivered.has(feedbackKey(each))
  const withdrawn = withdrawnRejections(rejections, delivered)
    .filter(isNew)
    .map((each): Undelivered => {
      const { path, hunks, reason, by } = each
      const text = `This rejection was withdrawn. Original reason: ${reason}`
      const feedback = { path, ...(hunks && { lines: linesOf(hunks) }), kind: 'withdrawn', reason: text, by }
      return { feedback, keys: [feedbackKey(each)] }
    })
  // A rejection that was withdrawn before its delivery is never delivered.
  const rejected = rejections
    .filter((each) => !each.withdrawn && isNew(each))
    .map((each): Undelivered => {
      const { path, hunks, reason, by, withdrawals } = each
      const feedback = { path, ...(hunks && { lines: linesOf(hunks) }), kind: 'rejected', reason, by }
      return { feedback, keys: [feedbackKey(each), ...withdrawals.map(({ id }) => feedbackKey({ id, path }))] }
    })
  const amended = amendmentsFor(reviews)
    .filter(isNew)
    .map((each): Undelivered => ({ feedback: amendmentFeedback(each), keys: [feedbackKey(each)] }))
  return [...withdrawn, ...rejected, ...amended]
}

function amendmentFeedback({ path, cause, by, read }: Amendment): Feedback {
  if (read) return { path, kind: 'merged', reason: MERGE_RESULTS[read] }
  return {
    path,
    kind: 'amended',
    reason: `${by.name} ${AMENDMENT_VERBS[cause]}. Read it again before you write to it.`,
    by,
  }
}

/** The rejections that were delivered and then withdrawn, one for each withdrawal. */
function withdrawnRejections(rejections: readonly Rejection[], delivered: ReadonlySet<unknown>): Rejection[] {
  return rejections.flatMap((each) => {
    return delivered.has(feedbackKey(each)) ? each.withdrawals.map((withdrawal) => ({ ...each, ...withdrawal })) : []
  })
}

/** A reviewer's amendment of a staged file, to follow the reviewer's name. */
export const AMENDMENT_VERBS = {
  edit: 'edited the staged file',
  discard: 'removed parts of the staged file',
  merge: 'merged the staged file with what is on disk now',
} as const satisfies Record<Amendment['cause'], string>

/** The result of merging a staged file when a read tool found the disk changed. */
const MERGE_RESULTS = {
  clean: 'The file changed on disk after you staged it. Your staged change was merged with it.',
  markers:
    'The file changed on disk in the lines that you staged. Both versions are between conflict markers: combine them and remove the markers.',
  beside:
    'The file changed on disk after you staged it, and cannot be merged. Both versions are kept; a person decides.',
} as const satisfies Record<NonNullable<Amendment['read']>, string>

function feedbackKey({ id, path }: { readonly id: string; readonly path: string }): string {
  return `feedback:${id}:${path}`
}

/** The first and last line of each hunk in the staged file. */
export function linesOf(hunks: readonly HunkRef[] = []): [number, number][] {
  return hunks.map(({ start, lines }) => [start, start + Math.max(lines, 1) - 1])
}
