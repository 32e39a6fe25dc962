/**
 * A workspace as the public API has it: sessions, reviews, trust, intents, the ledger, and news of other processes.
 *
 * In: a root. Out: the objects of the other rooms, each loaded when it is first asked for.
 */
export { openWorkspace } from './workspace.js'
