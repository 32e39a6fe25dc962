/**
 * Who may work in a workspace, and where one lies: finding its root, making it, moving its state from older versions, and
 * admitting agents, reviewers and people who accept files. A process inside of an agent's session is refused here.
 *
 * In: a directory and the process's environment. Out: a root, an answer or EscrowError `not_admitted`.
 * Nothing here knows sessions or the stage.
 */
export {
  admitAgent,
  admitReviewer,
  admitTruster,
  makeReviewerKey,
  makeSigningKey,
  outside,
  refuseInside,
} from './admit-reviewer.js'
export { hookToken } from './hook-token.js'
export { GITIGNORE, type InitOptions, initWorkspace } from './init.js'
export { findOldState, migrateOldState, type OldState } from './migrate.js'
export { proposedScope } from './proposed-scope.js'
export { isInMount, rootOf } from './whereabouts.js'
export { physicalRoot } from './workspace-root.js'
