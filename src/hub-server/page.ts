import { html } from 'hono/html'
import { oneLine } from '../core/printable.js'
import {
  describeMissing,
  type Identity,
  type QueuedChange,
  riskLevel,
  type SubmissionDetails,
  type SubmissionSummary,
} from '../hub/index.js'
import { renderFacts, renderList } from './facts.js'
import { renderHunks, renderState } from './hunks.js'

import { formatTime, layout, type Page } from './page-layout.js'
import type { ShownChange } from './shown.js'
import { renderAccount } from './sign-in-pages.js'

/** @param hasSignIn whether the hub has an identity provider */
export function renderLogin(isWrong: boolean, hasSignIn: boolean): Page {
  const signIn = html`<p><a href="/sign-in">Sign in with your organisation</a></p>`
  return layout(
    'Escrow hub',
    html`<main><h1>Escrow hub</h1>${hasSignIn ? signIn : ''}
<form method="post" action="/login">
<label for="token">Your reviewer token</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
<button>Sign in</button>
</form>
${isWrong ? html`<p class="bad" role="alert">The token is wrong or revoked.</p>` : ''}
<p class="quiet">The hub's operator makes one with <code>escrow hub token add NAME --role reviewer</code>.</p></main>`,
  )
}

/** @param review the id of the submission that the message is about */
export function renderMessage(message: string, review?: string): Page {
  const back =
    review === undefined ? '' : html`<a href="/review/${encodeURIComponent(review)}">Back to the review</a> · `
  return layout(
    'Escrow hub',
    html`<main><h1>Escrow hub</h1><p role="alert">${message}</p><p>${back}<a href="/">Queue</a></p></main>`,
  )
}

export function renderQueue(
  caller: Identity,
  queue: readonly SubmissionSummary[],
  order: 'risk' | 'age',
  landings: Page | '' = '',
): Page {
  const rows = queue.map(
    ({ id, session, risk, at, changes, pending }) => html`<tr>
<td><a href="/review/${id}">${oneLine(session)}</a></td><td class="risk-${riskLevel(risk)}">${riskLevel(risk)}</td>
<td>${pending} of ${changes}</td><td>${formatTime(at)}</td></tr>`,
  )
  const other = order === 'risk' ? 'age' : 'risk'
  const table = html`<table><thead><tr><th scope="col">Session</th><th scope="col">Risk</th><th scope="col">To decide</th>
<th scope="col">Since</th></tr></thead><tbody>${rows}</tbody></table>`
  return layout(
    `Queue of the workspace ${caller.workspace}`,
    html`<main><h1>Queue of the workspace ${oneLine(caller.workspace)}</h1>
${renderAccount(caller)}
<p class="quiet">Sorted by ${order}; <a href="/?order=${other}">sort by ${other}</a>.${landings === '' ? '' : html` <a href="#landings">Landings</a> are below.`}</p>
${queue.length === 0 ? html`<p>Nothing waits for a decision.</p>` : table}
${landings}</main>`,
  )
}

/** Who decides on a page: a sign-in by its subject, a token by its name. */
export function deciderOf({ name, proof }: Identity): string {
  return proof?.subject ?? name
}

/** @param decider whom the page is for. Its buttons decide for nobody who signs in later in the same browser. */
export function renderReview(
  decider: string,
  { id, session, isOpen, facts, changes }: SubmissionDetails,
  shown: readonly ShownChange[],
  choosesAll = false,
): Page {
  const undecided = shown.filter(isUndecided).length
  const choose =
    choosesAll || undecided > 1
      ? html`<a href="?choose=${choosesAll ? 'none' : 'all'}">${choosesAll ? 'Select none' : `Select all ${undecided} undecided`}</a>`
      : ''
  const closed = html`<p class="bad" role="alert">The agent has changed its work since. <a href="/">Open the newest one</a>.</p>`
  // Rejecting is first: the Enter key in the reason presses the first button.
  const bar = html`<div class="bar">${choose}<label for="reason">Reason, for a rejection</label>
<input id="reason" name="reason" maxlength="10000" required>
<span class="verdicts"><button name="verdict" value="rejected">Reject selected</button>
<button name="verdict" value="approved" formnovalidate>Approve selected</button></span></div>`
  return layout(
    `Review of ${session}`,
    html`<main><p><a href="/">Queue</a></p><h1>Review of ${oneLine(session)}</h1>
<p class="quiet">${changes.length} ${changes.length === 1 ? 'change' : 'changes'}</p>
${renderFacts(facts)}${isOpen ? '' : closed}
<form method="post" action="/review/${id}"><input type="hidden" name="decider" value="${decider}">${shown.map((each) => renderChange(each, isOpen, choosesAll))}${isOpen ? bar : ''}</form></main>`,
  )
}

/** Whether a change can be chosen as a whole, and has no verdict on any part. */
function isUndecided({ change, isWhole }: ShownChange): boolean {
  return isWhole && change.verdict === undefined && !(change.hunks ?? []).some(({ verdict }) => verdict !== undefined)
}

function renderChange(shown: ShownChange, isOpen: boolean, choosesAll: boolean): Page {
  const { change, hunks, note, isWhole } = shown
  const { key, path, from, kind, risk, verdict, mode, facts = [] } = change
  const name = from === undefined ? oneLine(path) : `${oneLine(from)} → ${oneLine(path)}`
  const modes = describeModes(mode)
  const box = html`<input type="checkbox" name="key" value="${key}" id="${key}"${choosesAll && isUndecided(shown) ? ' checked' : ''}>`
  const state = verdict === 'mixed' ? html`<span class="state">approved in part</span>` : renderState(change)
  const lacks = verdict === 'approved' ? '' : describeMissing(change)
  return html`<section class="file"><h2>${isOpen && isWhole ? box : ''}<label for="${key}">${name}</label>
<span class="quiet">${kind}${modes}</span> <span class="risk-${riskLevel(risk)}">${riskLevel(risk) === 'none' ? '' : riskLevel(risk)}</span> ${state}</h2>
${renderList('Facts about the change', facts)}${lacks === '' ? '' : html`<p class="quiet">${lacks}</p>`}
${renderHunks(change, hunks, name, isOpen)}
${note === undefined ? '' : html`<p class="quiet">${note}</p>`}</section>`
}

/** The modes, where both sides have one or the new file can be run. */
function describeModes(mode: QueuedChange['mode']): string {
  if (mode === undefined || mode.after === null) return ''
  if (mode.before === null) return (mode.after & 0o111) === 0 ? '' : ` executable, mode ${mode.after.toString(8)}`
  return ` mode ${mode.before.toString(8)} → ${mode.after.toString(8)}`
}
