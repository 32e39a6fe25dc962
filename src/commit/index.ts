/**
 * Commit: writes approved changes to the disk, all or none.
 *
 * In: entries (a path, its state before, its state after) and a transaction directory. Out: files in the workspace,
 * a journal that recovery replays after a crash, and the old contents that undo needs. Each step is checked against the
 * present disk; a path that another program has changed is left alone and reported.
 * Must not happen here: a verdict, a record of the ledger, a check of policy.
 */
export { commitEntries } from './commit.js'
export { startCommitRun } from './commit-run.js'
export { settledStats as settledLook } from './disk-state.js'
export { entriesFor } from './entries.js'
export {
  committedBy,
  committedSince,
  type KeptCommit,
  keptCommit,
  lastCommit,
} from './history.js'
export { inOrder } from './order.js'
export { recover } from './recover.js'
export { type CommittedTree, treeDigest } from './tree-digest.js'
export type { CommitEntry, CommitOutcome } from './types.js'
export { stageInverse, statesAfter, statesBefore } from './undo.js'
