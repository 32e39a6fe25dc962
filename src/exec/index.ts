/**
 * Commands of a session: admits them, runs them in the foreground or the background, and ingests their effects. The sandbox itself is
 * `terminal/`.
 *
 * In: a command line and its options. `SessionAdmission` asks policy, and a person if policy requires it; `CommandGate` computes the
 * paths and variables that the command may see; `CommandMount` runs it. Out: a result, effects in the stage, refused effects in the
 * quarantine, and a ledger record.
 * Must not happen here: writing to the workspace, or staging an effect past the policy checks.
 */
export { SessionAdmission } from './admission.js'
export { CommandView, shellOf } from './command-view.js'
export { SessionFormat } from './format.js'
export { type OpenedPlace, openPlace, runIn } from './open-place.js'
export { SessionTerminal } from './terminal.js'
