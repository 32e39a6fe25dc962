import type { Change, Intent, Workspace } from '../core/api.js'
import { defined } from '../core/defined.js'
import { type IntentFacts, limitFacts, limitSentences, type QueuedChange, type SessionFacts } from '../hub/index.js'
import { riskLines } from '../review/index.js'
import { flagReasons } from '../stage/index.js'

/** Characters of the facts about all changes of a session. A request has a limit, and must have room for the changes. */
const MAX_FACTS = 1024 * 1024

/** The sentences about a change that a review on this machine shows. Undefined: there are none. */
export function factsOf(change: Change): string[] | undefined {
  const facts = limitSentences([...riskLines(change), ...flagReasons(change)])
  return facts.length === 0 ? undefined : facts
}

/** Removes facts past the limit, first from the changes with the least risk. */
export function limitAll(changes: readonly QueuedChange[]): QueuedChange[] {
  const limited = new Set<QueuedChange>()
  let characters = 0
  for (const change of [...changes].sort((a, b) => b.risk - a.risk)) {
    characters += JSON.stringify(change.facts ?? []).length
    if (characters <= MAX_FACTS) limited.add(change)
  }
  return changes.map((change) => (limited.has(change) ? change : Object.assign({}, change, { facts: undefined })))
}

/** The facts about a session that a review on this machine shows above its changes. */
export async function readSessionFacts(
  { intents }: Pick<Workspace, 'intents'>,
  changes: readonly QueuedChange[],
  agent?: string,
): Promise<SessionFacts> {
  const ids = [...new Set(changes.flatMap(({ intent }) => intent ?? []))].sort()
  const known = (await intents.list()).filter(({ id }) => ids.includes(id))
  return limitFacts({ intents: known.map(describeIntent), ...defined({ agent }) })
}

function describeIntent(intent: Intent): IntentFacts {
  const { id, name, ownedScope, alsoWithin = [], acceptanceCriteria, checks } = intent
  const commands = checks.map(({ run }) => `run: ${run}`)
  const scope = [...ownedScope, ...alsoWithin.map((glob) => `also within ${glob}`)]
  return { id, name, scope, criteria: [...acceptanceCriteria, ...commands] }
}
