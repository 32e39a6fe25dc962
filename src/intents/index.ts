export { selectable, selectableIds } from '../core/intents-state.js'
export { type ContextEntry, type IntentMemory, intentContext } from './context.js'
export { openRegistry, type RegistryEdits, type RegistryStore } from './registry.js'
export { isIntentId } from './schema.js'
