/**
 * The history of intents: the versions of each intent, `intent_map.md`, and the memory of earlier work that a model
 * gets.
 *
 * In: the registry and the ledger. Out: versions, maps and texts; edits of the registry, each with its ledger record.
 * Decides nothing, and uses no session.
 */
export { type IntentVersions, openVersions, recordedRegistry, type VersionData } from './intent-versions.js'
export { type IntentMemories, openMemories } from './trace-context.js'
