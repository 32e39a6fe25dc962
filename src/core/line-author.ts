import type { BlameLine } from './ledger-api.js'

/** Returns the author of a line as one word: for an agent, its model or else its program. */
export function authorOf({ contributor, model, tool }: Pick<BlameLine, 'contributor' | 'model' | 'tool'>): string {
  return model ?? (contributor === 'ai' ? (tool ?? 'unknown') : contributor)
}
