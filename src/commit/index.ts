export { commitEntries } from './commit.js'
export { newCourse } from './course.js'
export { entriesFor } from './entries.js'
export {
  committedBy,
  committedSince,
  keptCommit,
  lastCommit,
} from './history.js'
export { recover } from './recover.js'
export { fingerprint, settledLook } from './standing.js'
export type { CommitEntry, CommitOutcome } from './types.js'
export { stageInverse, statesAfter, statesBefore } from './undo.js'
