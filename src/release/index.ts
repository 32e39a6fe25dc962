/**
 * From staged to committed: the review of a session, its quarantine, the commit and the undo.
 *
 * In: a person's verdicts. Out: the workspace's files, by `commit/`, and records in the ledger. An agent's process gets no
 * further than a refusal.
 */
export { reviewOf } from './review.js'
export { stageUndo } from './undo-session.js'
