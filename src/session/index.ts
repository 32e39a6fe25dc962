/**
 * One agent's session over one stage: its `fs`, tool calls, intent, limits, snapshots and feedback.
 *
 * Data enters as calls of the agent's host. It leaves as edits of the stage, denials, and records in the outbox for the
 * ledger. `compose.ts` builds the parts in order, each from finished ones; `LocalSession` is the front that the public API
 * returns. Each write passes `SessionGuard`: policy first, then the session's own checks.
 *
 * May not happen here: a verdict or a commit, a write to the workspace (but for a lesson that policy lets through), an edit of
 * the stage that did not pass the guard.
 */
export { claimedBy } from './claims.js'
export { noSession, sessionBusy, sessionFailure } from './failure.js'
export { syncState } from './governed-fs.js'
export { isLessonEntry } from './lessons.js'
export { readOnlyLedger, selectNamedIntent } from './opening.js'
export type { LocalSession } from './session.js'
export { relativeTo } from './view.js'
