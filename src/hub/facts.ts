import { z } from 'zod'
import type { SessionFacts } from './types.js'

/** The most sentences about one change, and of the scope and the criteria of one intent. */
const MAX_SENTENCES = 50
/** The most characters of one sentence. */
const MAX_SENTENCE = 500
/** The most intents of one session. */
const MAX_INTENTS = 20

const SENTENCE = z.string().max(MAX_SENTENCE)
const SENTENCES = z.array(SENTENCE).max(MAX_SENTENCES)

/** Facts about a change, as machines send them. */
export const CHANGE_FACTS = SENTENCES

/** Facts about a session, as machines send them. */
export const SESSION_FACTS: z.ZodType<SessionFacts> = z.object({
  agent: SENTENCE.optional(),
  intents: z.array(z.object({ id: SENTENCE, name: SENTENCE, scope: SENTENCES, criteria: SENTENCES })).max(MAX_INTENTS),
})

/** Shortens sentences to the limits of the hub, and adds how many it left out. */
export function limitSentences(sentences: readonly string[]): string[] {
  const remaining = sentences.length - MAX_SENTENCES
  const taken = remaining > 0 ? [...sentences.slice(0, MAX_SENTENCES - 1), `and ${remaining + 1} more`] : sentences
  return taken.map(limitSentence)
}

/** Shortens the facts about a session to the limits of the hub. */
export function limitFacts({ agent, intents }: SessionFacts): SessionFacts {
  return {
    agent: agent === undefined ? undefined : limitSentence(agent),
    intents: intents.slice(0, MAX_INTENTS).map(({ id, name, scope, criteria }) => ({
      id: limitSentence(id),
      name: limitSentence(name),
      scope: limitSentences(scope),
      criteria: limitSentences(criteria),
    })),
  }
}

function limitSentence(text: string): string {
  return text.length > MAX_SENTENCE ? `${text.slice(0, MAX_SENTENCE - 1).toWellFormed()}…` : text
}

/** Facts as the database keeps them. */
export function readFacts(text: string): SessionFacts {
  return SESSION_FACTS.parse(JSON.parse(text))
}
