import { html } from 'hono/html'
import { oneLine } from '../core/printable.js'
import type { Identity, SignIn } from '../hub/index.js'
import { layout, type Page } from './page-layout.js'

/**
 * A page that opens the queue by itself. After a redirect that began at the provider's site, browsers would not send
 * the `Strict` cookie.
 */
export function renderSignedIn(): Page {
  const refresh = html`<meta http-equiv="refresh" content="0; url=/">`
  return layout(
    'Escrow hub',
    html`<main><h1>Escrow hub</h1><p>You are signed in. <a href="/">Queue</a></p></main>`,
    refresh,
  )
}

/** The workspaces and roles of a person, to choose one. */
export function renderAccesses({ name, accesses }: SignIn): Page {
  const choices = accesses.map(
    ({ tenant, workspace, role }) => html`<form method="post" action="/workspace">
<input type="hidden" name="tenant" value="${tenant}"><input type="hidden" name="workspace" value="${workspace}">
<input type="hidden" name="role" value="${role}">
<p><button>${oneLine(workspace)}${tenant === 'default' ? '' : ` of ${oneLine(tenant)}`}, as ${role}</button></p></form>`,
  )
  const none = html`<p role="alert">None of your groups has access to a workspace any more.</p>`
  return layout(
    'Choose a workspace',
    html`<main><h1>Choose a workspace</h1><p class="quiet">You are ${oneLine(name)}.</p>
${accesses.length === 0 ? none : choices}${renderSignOut(true)}</main>`,
  )
}

/** The name and role of the signed-in person, with the button to sign out. */
export function renderAccount({ name, role, proof }: Identity): Page {
  const isSignIn = proof?.signIn !== undefined
  return html`<p class="quiet">You are ${oneLine(name)}, ${role}.${isSignIn ? html` <a href="/workspace">Choose a workspace</a>` : ''}</p>
${renderSignOut(isSignIn)}`
}

function renderSignOut(isSignIn: boolean): Page {
  const everywhere = html` <button name="which" value="all">Sign out everywhere</button>`
  return html`<form method="post" action="/sign-out"><p><button name="which" value="this">Sign out</button>${isSignIn ? everywhere : ''}</p></form>`
}
