import type { Intent, Workspace } from '../../index.js'
import { nearest } from '../../surface/index.js'

/** Finds an intent by id. Rejects with `unknown_intent` and the most similar id if there is none. */
export async function requireIntent(workspace: Workspace, id: string): Promise<Intent> {
  const intent = await workspace.intents.get(id)
  if (intent !== undefined) return intent
  const { waiting } = await workspace.trust()
  throw unknownIntentError(id, await workspace.intents.list(), waiting ? WAITING : undefined)
}

/** @param more a second sentence for the hint */
export function unknownIntentError(id: string, intents: readonly Intent[], more?: string): Error {
  const meant = nearest(
    id,
    intents.map((each) => each.id),
  )
  const question = meant === undefined ? '' : `Did you mean '${meant}'? `
  return Object.assign(new Error(`There is no intent ${id}.`), {
    reason: 'unknown_intent',
    hint: `${question}'escrow intents' lists them.${more === undefined ? '' : ` ${more}`}`,
  })
}

const WAITING = "Others may wait until you accept the files: 'escrow trust'."
