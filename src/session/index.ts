/**
 * One agent's session over one stage: its `fs`, tool calls, intent, limits, snapshots and feedback.
 *
 * Data enters as calls of the agent's host. It leaves as edits of the stage, denials, and records in the outbox for the
 * ledger. `compose.ts` builds the parts in order, each from finished ones; `LocalSession` is the object that the public
 * API returns. Each write passes `SessionGuard`: policy first, then the session's own checks.
 *
 * This room makes no verdict or commit, writes to the workspace only a lesson that policy allows, and edits the stage only
 * through the guard.
 */
export { claimedIntent } from './claims.js'
export { sessionBusy, sessionFailure, unknownSession } from './failure.js'
export { syncState } from './governed-fs.js'
export { isLessonEntry } from './lessons.js'
export { readOnlyLedger, selectNamedIntent } from './opening.js'
export type { LocalSession } from './session.js'
export { relativeTo } from './view.js'
