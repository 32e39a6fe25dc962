export { commitEntries } from './commit.js'
export { startCommitRun } from './commit-run.js'
export { fingerprint, settledLook } from './disk-state.js'
export { entriesFor } from './entries.js'
export {
  committedBy,
  committedSince,
  type KeptCommit,
  keptCommit,
  lastCommit,
} from './history.js'
export { recover } from './recover.js'
export type { CommitEntry, CommitOutcome } from './types.js'
export { stageInverse, statesAfter, statesBefore } from './undo.js'
