/**
 * Intents: the registry of `active_intents.yaml`, and what an intent allows.
 *
 * In come the workspace's intent files and the texts that a person accepted on this machine; out go parsed intents, each
 * the stricter of the two, their state, and the context that an agent gets when it selects one. Edits keep comments and
 * layout of the YAML.
 * May not happen here: a decision about an access (`policy/`), a session.
 */
export { type ContextEntry, type IntentMemory, intentContext } from './context.js'
export { linesOf } from './ignore.js'
export { openRegistry, type RegistryEdits, type RegistryStore } from './registry.js'
export { isIntentId } from './schema.js'
export { templateFiles } from './templates.js'
export { understand } from './understood.js'
