import type { Feedback } from '../core/api.js'
import {
  type Amendment,
  amendmentsFor,
  type HunkRef,
  type Rejection,
  type ReviewRecord,
  rejectionsFor,
} from '../review/index.js'

/** A reviewer's word that the agent has not been given. */
export interface Undelivered {
  readonly feedback: Feedback
  /** Once these are noted under {@link DELIVERED}, it counts as delivered. */
  readonly keys: readonly string[]
}

/** What reviewers say to the agent of a session. */
export interface ReviewerWords {
  /** What the agent was not given. */
  undeliveredWords(): readonly Undelivered[]
  /** Somebody gave the agent words: keys of what is undelivered. All other keys are ignored. */
  markDelivered(keys: readonly string[]): void
}

/** The kind of note, in the stage's log, that holds keys of delivered words. */
export const DELIVERED = 'told'

/** What reviewers said and did that the agent has not been given. @param delivered the keys that were noted. */
export function undeliveredWords(reviews: readonly ReviewRecord[], delivered: ReadonlySet<unknown>): Undelivered[] {
  const rejections = rejectionsFor(reviews)
  const isNew = (each: { readonly id: string; readonly path: string }) => !delivered.has(feedbackKey(each))
  const withdrawn = withdrawals(rejections, delivered)
    .filter(isNew)
    .map((each): Undelivered => {
      const { path, hunks, reason, by } = each
      const words = `The no to this was taken back; it was: ${reason}`
      const feedback = { path, ...(hunks && { lines: linesOf(hunks) }), kind: 'withdrawn', reason: words, by }
      return { feedback, keys: [feedbackKey(each)] }
    })
  // A no that was taken back before the agent heard it is never delivered.
  const rejected = rejections
    .filter((each) => !each.withdrawn && isNew(each))
    .map((each): Undelivered => {
      const { path, hunks, reason, by, takenBack } = each
      const feedback = { path, ...(hunks && { lines: linesOf(hunks) }), kind: 'rejected', reason, by }
      return { feedback, keys: [feedbackKey(each), ...takenBack.map(({ id }) => feedbackKey({ id, path }))] }
    })
  const amended = amendmentsFor(reviews)
    .filter(isNew)
    .map((each): Undelivered => ({ feedback: amendmentFeedback(each), keys: [feedbackKey(each)] }))
  return [...withdrawn, ...rejected, ...amended]
}

function amendmentFeedback({ path, cause, by, read }: Amendment): Feedback {
  if (read) return { path, kind: 'merged', reason: READ[read] }
  return { path, kind: 'amended', reason: `${by.name} ${AMENDED[cause]}. Read it again before you write to it.`, by }
}

/** What was taken back after the agent had heard it, by the word that took it back. */
function withdrawals(rejections: readonly Rejection[], delivered: ReadonlySet<unknown>): Rejection[] {
  return rejections.flatMap((each) => {
    return delivered.has(feedbackKey(each)) ? each.takenBack.map((word) => ({ ...each, ...word })) : []
  })
}

/** What a reviewer did to a staged file, as the agent is told. */
export const AMENDED = {
  edit: 'edited the staged file',
  discard: 'took parts out of the staged file',
  merge: 'merged the staged file with what is on disk now',
} as const satisfies Record<Amendment['cause'], string>

/** What became of a staged file when a read tool found that the disk had moved on. */
const READ = {
  clean: 'The file was changed on disk since you staged it. What you staged was merged with that.',
  markers:
    'The file was changed on disk in the lines you staged. Both stand between conflict markers: make one of them, and take the markers out.',
  beside:
    'The file was changed on disk since you staged it, and cannot be merged. What you staged stays, and so does the file on disk; a person decides.',
} as const satisfies Record<NonNullable<Amendment['read']>, string>

function feedbackKey({ id, path }: { readonly id: string; readonly path: string }): string {
  return `feedback:${id}:${path}`
}

/** Where in the staged file hunks stand: their first and last lines. */
export function linesOf(hunks: readonly HunkRef[] = []): [number, number][] {
  return hunks.map(({ start, lines }) => [start, start + Math.max(lines, 1) - 1])
}
