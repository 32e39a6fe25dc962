/**
 * Landing: takes approved changes from a hub's queue to a branch of a git repository.
 *
 * In: an open database of a hub, with a repository for a workspace; the worker's own git and its credentials. Out: commits on the branch,
 * pushed only onto the tip that they were checked on, and the end of each landing in the database: landed, or evicted with the reason.
 *
 * No byte may land that a reviewer has not seen for its file. No check and no policy may come from the changes that it
 * checks. No hook and no filter of a repository may run. Content that an agent sent runs only in contained checks, in a
 * checkout that is removed afterwards.
 */
export type { WorkerReport } from './report.js'
export { defaultWork, runWorker } from './worker.js'
