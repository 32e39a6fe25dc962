/**
 * Acceptance: runs the checks of intents on the changes that a commit would write, and keeps the evidence.
 *
 * In: a session's stage and verdicts, and the checks that a person has accepted. Each check runs contained, in a mount
 * of its own that shows the disk with the selected changes. Out: evidence in the state directory of this machine, a
 * ledger record, and for each check whether the evidence is about these bytes. Must not happen here: a change of the
 * session's stage or of the workspace, a check that nobody has accepted, trust in a record that is in the workspace.
 */
export { type ApprovedTree, acceptanceOf } from './acceptance.js'
export { type ApplicableCheck, applicableChecks } from './applicable.js'
export { runCheck } from './check-run.js'
export { scratchStage } from './scratch-stage.js'
