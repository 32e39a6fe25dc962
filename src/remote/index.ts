/**
 * A workspace's connection to a hub: sends what sessions have staged, and records the reviewers' decisions in this machine's review log.
 *
 * In: a workspace, the hub's address and a token of the role `host`, kept in the state directory, which no contained command sees. Out:
 * submissions to the hub; verdicts on exactly the bytes that a decision names; what has landed on the branch, and as rejections what has not.
 *
 * No byte may come from the hub: a decision has digests, which are compared with the stage of this machine. No agent's session may run
 * this. A token that may decide is refused for a workspace. A reviewer uses one to decide on the hub, and this room never stores it.
 */

export { riskLevel } from '../hub/index.js'
export { connectReviewer, type HubReview, type HubReviewer, type HubSession } from './hub-review.js'
export { landedChanges } from './landed.js'
export type { SyncReport } from './report.js'
export { addRemote, addressOf, landingBranchOf, readRemote, removeRemote } from './settings.js'
export { RemoteSync } from './sync.js'
