/**
 * From staged to committed: joins the review of a session to its stage, the ledger and the commit, and stages undos.
 *
 * Data enters as verdicts and answers of reviewers (`review/` decides what they select). It leaves as files of the workspace,
 * written by `commit/`, and as ledger records, intents and policy rules. `ReviewedStage` reads the stage, `SessionEffects`
 * applies decisions, `commit-session.ts` takes approved changes to the disk.
 *
 * Every method that decides refuses callers inside a session. Only `commit/` writes to the workspace, and every commit
 * checks each path against policy under the commit's lock.
 */
export { decideOnCommit } from './decide-on-commit.js'
export { landRecorded } from './git-commit.js'
export { reviewOf } from './review.js'
export { stageUndo } from './undo-session.js'
