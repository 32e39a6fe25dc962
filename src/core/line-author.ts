import type { BlameLine } from './ledger-api.js'

/** Who wrote a line, in one word for a person: an agent by its model, else its program. */
export function authorOf({ contributor, model, tool }: Pick<BlameLine, 'contributor' | 'model' | 'tool'>): string {
  return model ?? (contributor === 'ai' ? (tool ?? 'unknown') : contributor)
}
