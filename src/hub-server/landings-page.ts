import { html } from 'hono/html'
import { oneLine, printable } from '../core/printable.js'
import type { Landing, Repository } from '../hub/index.js'
import { formatTime, type Page } from './page-layout.js'

/** The landings and their results. Empty if machines commit themselves. */
export function renderLandings(
  repository: (Repository & { readonly problem?: string | undefined }) | undefined,
  landings: readonly Landing[],
): Page | '' {
  if (repository === undefined) return ''
  const { url, branch, directory, problem } = repository
  const rows = landings.map(
    ({ session, submission, state, changes, at, ...landing }) => html`<tr>
<td><a href="/review/${submission}">${oneLine(session)}</a></td><td class="landing-${state}">${state}</td>
<td>${changes.length}</td><td>${formatTime(at)}</td><td>${renderEnd(landing)}</td></tr>`,
  )
  const table = html`<table><thead><tr><th scope="col">Session</th><th scope="col">State</th><th scope="col">Changes</th>
<th scope="col">Since</th><th scope="col">Result</th></tr></thead><tbody>${rows}</tbody></table>`
  return html`<h1 id="landings">Landings on ${oneLine(branch)}</h1>
<p class="quiet">Approved changes land in ${oneLine(url)}${directory === '' ? '' : `, directory ${oneLine(directory)},`} once every change of their session has a verdict.</p>
${problem === undefined || problem === '' ? '' : html`<p class="bad" role="alert">Nothing lands now: ${oneLine(problem)}</p>`}
${landings.length === 0 ? html`<p>Nothing has landed yet.</p>` : table}`
}

/** The commit, or the reason of an eviction with its first line in sight. */
function renderEnd({ commit, reason }: Pick<Landing, 'commit' | 'reason'>): Page | '' {
  if (commit !== undefined) return html`<code>${commit.slice(0, 12)}</code>`
  if (reason === undefined) return ''
  const [first = ''] = reason.split('\n', 1)
  return html`<details><summary>${oneLine(first).slice(0, MAX_SUMMARY)}</summary><pre tabindex="0">${printable(reason)}</pre></details>`
}

const MAX_SUMMARY = 200
