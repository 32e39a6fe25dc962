/**
 * Intents: the registry of `active_intents.yaml`, and the scope of each intent.
 *
 * It reads the workspace's intent files and the texts that a person accepted on this machine, and returns parsed intents, each
 * the stricter of the two, their state, and the context that an agent gets when it selects one. Edits keep comments and
 * layout of the YAML.
 * It does not decide about an access (`policy/`), and knows no session.
 */
export { type ContextEntry, type IntentMemory, intentContext } from './context.js'
export { linesOf } from './ignore.js'
export { isIntentId } from './intent-id.js'
export { parseRegistry } from './parse-registry.js'
export { parseIntents } from './reading.js'
export { openRegistry, type RegistryEdits, type RegistryStore } from './registry.js'
export { templateFiles } from './templates.js'
