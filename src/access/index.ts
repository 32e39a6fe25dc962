/**
 * Access to a workspace: finds a workspace's root, creates it, migrates the state of older versions, and admits agents,
 * reviewers and people who accept files. A process inside an agent's session is refused here.
 *
 * In: a directory and the process's environment. Out: a root, or EscrowError `access_denied`.
 * Nothing here knows sessions or the stage.
 */
export {
  admitAgent,
  admitPerson,
  admitReviewer,
  admitTruster,
  assertOutsideSession,
  enclosingSession,
  makeReviewerKey,
  makeSigningKey,
  requireOutsideSession,
} from './admit-reviewer.js'
export { isInMount, rootOf } from './find-root.js'
export { hookToken } from './hook-token.js'
export { GITIGNORE, type InitOptions, initWorkspace } from './init.js'
export { findOldState, migrateOldState, type OldState } from './migrate.js'
export { proposeLike } from './proposed-like.js'
export { proposeScope } from './proposed-scope.js'
export { physicalRoot } from './workspace-root.js'
