/**
 * The stage of a session: its uncommitted changes as an overlay on disk, with snapshots and notes, the records that
 * wait for the ledger, and the change sets that people see.
 *
 * In: edits by the governed fs and by commands, commits and verdicts of other processes. Out: change sets, and the
 * stage's log. Must not happen here: a decision whether a write is allowed, a change of the workspace itself.
 */

export { beforeOf, changeSetOf, diskNow, flagsOf } from './change-view.js'
export { classCache } from './class-cache.js'
export { closedByRules } from './closed-files.js'
export { sessionCommitsAfter } from './committed-changes.js'
export { ContentLock } from './content-lock.js'
export { declarationsOf, declare } from './declarations.js'
export { removeEmptySession } from './empty-session.js'
export { findingsCache } from './findings-cache.js'
export { flagReasons } from './flag-reasons.js'
export { type CommandRecord, LedgerOutbox } from './ledger-outbox.js'
export { createMutations, measureApproved } from './mutations.js'
export { MEMORY, openStage } from './opened-stage.js'
export { createRisks } from './risks.js'
export { SeenFiles } from './seen-files.js'
export { snapshotsOf, toSnapshot } from './snapshot-list.js'
export { type NoteQueue, ownStage, readStage, type StageStore, stageReader } from './store.js'
