import { html } from 'hono/html'
import { oneLine } from '../core/printable.js'
import type { SessionFacts } from '../hub/index.js'

type Page = ReturnType<typeof html>

/** The facts that the machine sent about the session: the agent, and the intents with their scope and criteria. */
export function renderFacts(facts: SessionFacts | undefined): Page | '' {
  if (facts === undefined) return ''
  const { agent, intents } = facts
  return html`${agent === undefined ? '' : html`<p>Agent: ${oneLine(agent)}</p>`}
${intents.map(
  ({ id, name, scope, criteria }) => html`<section class="intent"><h2>${oneLine(id)}: ${oneLine(name)}</h2>
${renderList('Scope', scope)}${renderList('Acceptance criteria', criteria)}</section>`,
)}`
}

/** A list with its name, or nothing. */
export function renderList(name: string, sentences: readonly string[]): Page | '' {
  if (sentences.length === 0) return ''
  return html`<p class="quiet">${name}</p><ul>${sentences.map((each) => html`<li>${oneLine(each)}</li>`)}</ul>
`
}
