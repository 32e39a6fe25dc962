/**
 * One agent's session: the governed fs, tool calls, intent, limits and snapshots, over one stage. `compose.ts` puts its
 * parts together.
 *
 * In: calls of the agent's host. Out: staged edits and denials. Nothing here approves or commits.
 */
export { claimedBy } from './claims.js'
export { noSession, sessionBusy, sessionFailure } from './failure.js'
export { syncState } from './governed-fs.js'
export { isLessonEntry } from './lessons.js'
export { beginNamed, unwritten } from './opening.js'
export type { LocalSession } from './session.js'
export { relativeTo } from './view.js'
