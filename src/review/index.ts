/**
 * Review: the view of a stage for a person, and the person's decisions.
 *
 * In: staged changes and the records of earlier decisions. Out: diffs, hunks, groups and highlighted lines, and
 * records of verdicts, edits, answers and merges, appended to the session's review log. A hunk is named by its content,
 * so a verdict applies only to the bytes that were shown.
 * Must not happen here: a change of the workspace on disk (`commit/`), a rule of the policy, anything an agent can call.
 */
export { addedLines } from './added-lines.js'
export { type AmendmentState, amendedContent, amendmentState } from './amend.js'
export { type Amendment, amendmentsFor } from './amendments.js'
export { BaseDiffs } from './base-diffs.js'
export { toChangeSet } from './change-set.js'
export { type ClassLabel, classLabel } from './class-label.js'
export { commitSlicesOf, writeCommitted } from './commit-slices.js'
export { type Contents, openContents } from './contents.js'
export { countLines } from './counts.js'
export { diffFile, type FileDiff } from './diff.js'
export type { DisplayedChange } from './displayed-change.js'
export { foldReason, foldTitle } from './folding.js'
export { compileGlob } from './glob.js'
export { attentionTitle, groupChanges } from './groups.js'
export { type Highlighter, loadHighlighter, type Token } from './highlight.js'
export { type ActionOn, type KeyOn, keysOf } from './keymap.js'
export { isNewSince, type LastLook, readLastLook, writeLastLook } from './last-look.js'
export { openReviewLog, type ReviewLog } from './log.js'
export { answerFor, answersIn, commandAnswer, letsBelow, openQuestions, QUESTION } from './questions.js'
export { committedRecordsOf, matches, reviewerOf } from './record.js'
export {
  type AmendRecord,
  type AnswerRecord,
  type HunkRef,
  type ReviewEntry,
  type ReviewRecord,
  reviewRecord,
} from './record-schema.js'
export { rejectionLines } from './rejection-lines.js'
export { createReview, type ReviewByRule, type StageReview } from './review.js'
export type {
  ApprovedCommit,
  ApprovedLanding,
  Criterion,
  DecidedTree,
  ReviewEffects,
  ReviewStage,
} from './review-stage.js'
export { riskLines } from './risk-lines.js'
export { describeReach } from './scope-reach.js'
export { relativeName } from './selection.js'
export { splitsIn } from './split-hunk.js'
export { StageAmender } from './stage-amender.js'
export {
  type Chapter,
  type CommandRun,
  chaptersOf,
  describeEnd,
  describeRun,
  describeRunInRows,
  type ReviewOrder,
} from './story.js'
export { type Rejection, rejectionsFor, verdictState } from './verdicts.js'
export { type TextSpan, wordDiff } from './word-diff.js'
