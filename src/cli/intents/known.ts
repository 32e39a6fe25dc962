import { type Intent, nearest, type Workspace } from '../../index.js'

/** The intent a person has named. Rejects with the one that may have been meant where there is none. */
export async function knownIntent({ intents }: Workspace, id: string): Promise<Intent> {
  const intent = await intents.get(id)
  if (intent !== undefined) return intent
  throw unknownIntent(id, await intents.list())
}

export function unknownIntent(id: string, intents: readonly Intent[]): Error {
  const meant = nearest(
    id,
    intents.map((each) => each.id),
  )
  const question = meant === undefined ? '' : `Did you mean ${meant}? `
  return Object.assign(new Error(`There is no intent ${id}.`), {
    reason: 'unknown_intent',
    hint: `${question}'escrow intents' lists them.`,
  })
}
