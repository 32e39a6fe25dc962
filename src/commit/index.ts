/**
 * Commit: approved changes go to the disk, all or none.
 *
 * In come entries (a path, its state before, its state after) and a transaction directory; out go files in the workspace,
 * a journal that recovery replays after a crash, and the kept contents that undo needs. Each step is checked against the
 * disk as it is then; what moved meanwhile is left alone and named.
 * May not happen here: a verdict, a record of the ledger, a look at the stage's policy.
 */
export { commitEntries } from './commit.js'
export { startCommitRun } from './commit-run.js'
export { settledLook } from './disk-state.js'
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
export type { CommitEntry, CommitOutcome } from './types.js'
export { stageInverse, statesAfter, statesBefore } from './undo.js'
