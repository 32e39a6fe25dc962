/**
 * What an agent has done and nobody has committed: the overlay of a session on disk, its snapshots and notes, the records
 * that wait for the ledger, and how a change of it looks to people.
 *
 * In: edits by the governed fs and by commands. Out: change sets, and the stage's log.
 * Nothing here decides whether a write is allowed, and nothing here changes the workspace itself.
 */
export { beforeOf, changeSetOf, diskNow, flagsOf } from './change-view.js'
export { classCache } from './class-cache.js'
export { closedByRules } from './closed-files.js'
export { sessionCommitsAfter } from './committed-changes.js'
export { ContentLock } from './content-lock.js'
export { declarationsOf, declare } from './declarations.js'
export { flagReasons } from './flag-reasons.js'
export { type CommandRecord, LedgerOutbox } from './ledger-outbox.js'
export { createMutations, measureApproved } from './mutations.js'
export { MEMORY, openStage } from './opened-stage.js'
export { SeenFiles } from './seen-files.js'
export { snapshotsOf, toSnapshot } from './snapshot-list.js'
export { type NoteQueue, ownStage, readStage, type StageStore, stageReader } from './store.js'
