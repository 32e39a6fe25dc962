import type { Intent, Workspace } from '../../index.js'
import { nearest } from '../../surface/index.js'

/** The intent a person has named. Rejects with the one that may have been meant where there is none. */
export async function knownIntent(workspace: Workspace, id: string): Promise<Intent> {
  const intent = await workspace.intents.get(id)
  if (intent !== undefined) return intent
  const { waiting } = await workspace.trust()
  throw unknownIntent(id, await workspace.intents.list(), waiting ? WAITING : undefined)
}

/** @param more a second sentence for the hint. */
export function unknownIntent(id: string, intents: readonly Intent[], more?: string): Error {
  const meant = nearest(
    id,
    intents.map((each) => each.id),
  )
  const question = meant === undefined ? '' : `Did you mean ${meant}? `
  return Object.assign(new Error(`There is no intent ${id}.`), {
    reason: 'unknown_intent',
    hint: `${question}'escrow intents' lists them.${more === undefined ? '' : ` ${more}`}`,
  })
}

const WAITING = "Others may wait until you accept the files: 'escrow trust'."
