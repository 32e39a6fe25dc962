export { commitEntries } from './commit.js'
export { newCourse } from './course.js'
export type { Disk } from './disk.js'
export { entriesFor } from './entries.js'
export {
  type CommittedChange,
  type CommittedPlan,
  committedBy,
  committedSince,
  type KeptCommit,
  keptCommit,
  lastCommit,
} from './history.js'
export { UNDO_COMMITS } from './journal.js'
export { type Recovered, recover } from './recover.js'
export { settledLook } from './standing.js'
export type { CommitEntry, CommitInput, CommitOp, CommitOutcome, Conflict, JsonObject } from './types.js'
export { stageInverse, statesAfter, statesBefore } from './undo.js'
