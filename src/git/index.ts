/**
 * Git: approved changes become commits of the repository that the workspace is in.
 *
 * In come approved changes with their contents, and the commit's message; out go objects in the repository, and, once the
 * changes are on disk, a moved branch and its index entries. All of it is done by the person's own git.
 * May not happen here: a write to the working tree, a verdict, a record of the ledger.
 */
export { landGit } from './land.js'
export { type GitLanding, gitLandingOf } from './landing.js'
export { type GitGroup, type PreparedGit, prepareGit } from './prepare.js'
