import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { SignInSettings } from './sign-in-settings.js'

/**
 * `begun`: binds the provider's answer to the browser that asked. Browsers send it with the provider's redirect, so it is `Lax`.
 * `session`: a sign-in. It is `Strict`: no request that another site begins has it.
 */
type Kind = 'begun' | 'session'

type Settings = Pick<SignInSettings, 'url'>

export function readCookie(c: Context, settings: Settings, kind: Kind): string | undefined {
  return isSecure(settings) ? getCookie(c, nameOf(kind), 'host') : getCookie(c, nameOf(kind))
}

export function writeCookie(c: Context, settings: Settings, kind: Kind, value: string): void {
  const sameSite = kind === 'session' ? 'Strict' : 'Lax'
  setCookie(c, nameOf(kind), value, Object.assign({ httpOnly: true, sameSite } as const, optionsOf(settings)))
}

export function removeCookie(c: Context, settings: Settings, kind: Kind): void {
  deleteCookie(c, nameOf(kind), optionsOf(settings))
}

function nameOf(kind: Kind): string {
  return `escrow-hub-${kind}`
}

/** With TLS, a browser takes a cookie of this prefix from this host alone, not from others of its domain. */
function optionsOf(settings: Settings): { path: string; secure: boolean; prefix?: 'host' } {
  return isSecure(settings) ? { path: '/', secure: true, prefix: 'host' } : { path: '/', secure: false }
}

function isSecure({ url }: Settings): boolean {
  return url.startsWith('https:')
}
