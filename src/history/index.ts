/**
 * What intents were and which files they changed: the versions of each intent, `intent_map.md`, and the memory of earlier
 * work that a model is given.
 *
 * In: the registry and the ledger. Out: versions, maps and texts. Nothing here knows sessions.
 */
export { type IntentVersions, openVersions, recordedRegistry, type VersionData } from './intent-versions.js'
export { memoryOf } from './trace-context.js'
