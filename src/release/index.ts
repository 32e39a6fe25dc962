/**
 * From staged to committed: joins the review of a session to its stage, the ledger and the commit, and stages undos.
 *
 * Data enters as verdicts and answers of reviewers (`review/` decides what they select). It leaves as files of the workspace,
 * written by `commit/`, and as ledger records, intents and policy rules. `ReviewedStage` reads the stage, `SessionEffects`
 * carries decisions out, `commit-session.ts` takes approved changes to the disk.
 *
 * May not happen here: a decision by anyone inside of a session (each method that decides refuses that), a write to the
 * workspace past `commit/`, a commit without a policy check of every path under the commit's lock.
 */
export { reviewOf } from './review.js'
export { stageUndo } from './undo-session.js'
