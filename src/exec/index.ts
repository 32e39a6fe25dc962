/**
 * Commands of a session: whether one may run, what it sees of the workspace, and taking what it did into the stage or the
 * quarantine. The sandbox itself is `terminal/`.
 *
 * In: a command line. Out: its result, and effects in the stage. Nothing here writes to the workspace.
 */
export { SessionAdmission } from './admission.js'
export { SessionFormat } from './format.js'
export { SessionTerminal } from './terminal.js'
