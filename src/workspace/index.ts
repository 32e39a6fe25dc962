/**
 * A workspace of the public API, and the composition root: it opens the registry, policy and ledger of a directory, and builds
 * sessions, reviews and trust reports from them.
 *
 * Data enters as the workspace's directory. It leaves as objects of the other rooms; a room that takes long to load is imported
 * when it is first needed. `watch.ts` compares files and reports changes that other processes make.
 *
 * This room has no rules. The rooms that it joins decide what is allowed, staged or committed.
 */
export { openWorkspace } from './workspace.js'
