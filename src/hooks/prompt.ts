import type { Session } from '../core/api.js'
import { intentContext } from '../intents/index.js'

/** The protocol for a model that works in escrow. It is also suitable for a host's static rules (`.roo/rules`, AGENTS.md). */
export const INTENT_PROTOCOL = `# Working under an intent

Your changes are held in escrow: each is checked when you make it, staged, and reaches the disk only when a person approves it.

1. Before you change anything, call select_active_intent with the id of the intent that fits the task. list_intents lists them.
   Without an active intent, tools that change something are refused.
2. Change only what the intent's owned_scope covers, and keep to its constraints. For more, call request_scope_expansion.
3. A refusal (a record of type tool_error) says why, and what to do. Do not repeat the same call: it is refused again.
4. If a refusal says that a file is stale, read it again before you edit it.
5. Words from the reviewer come with tool results. Follow them.`

/** Returns the section of the prompt for this turn: the protocol, and the active intent or the selectable ones. */
export async function intentPrompt(session: Pick<Session, 'intent' | 'intents'>): Promise<string> {
  const { intent } = session
  if (intent !== undefined) return `${INTENT_PROTOCOL}\n\n${intentContext(intent).xml}`
  const ids = (await session.intents()).map(({ id, name }) => `- ${id}: ${name}`)
  const choice = ids.length === 0 ? 'No intent can be selected. Ask the person to declare one.' : ids.join('\n')
  return `${INTENT_PROTOCOL}\n\nNo intent is active. Your first action is select_active_intent.\n${choice}`
}
