import type { Context, MiddlewareHandler } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import { bearerOf, foreignTo, isSameSecret, newToken } from '../surface/index.js'

export interface GuardOptions {
  readonly token: string
  readonly port: number
}

export interface Guard {
  /** Where the browser finds the page: below a name nobody can guess. */
  readonly base: string
  readonly check: MiddlewareHandler
  /** Lets a browser in that came with the token. */
  admit(c: Context): void
  /** A ticket that replaces the token for one visit of the page, for a short time: for an address that others may see. */
  ticket(): string
}

/** Milliseconds in which a browser that was started comes. */
const TICKET_MS = 60_000

const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/**
 * Who may ask: who has the token, under our own name and from our own page. A browser sends cookies to every port of a
 * host, so to any other server on this machine as well: ours is bound to a path below a second secret, and goes nowhere else.
 */
export function makeGuard({ token, port }: GuardOptions): Guard {
  const name = `escrow-${port}`
  const [pass, place] = [newToken(), newToken()]
  const base = `/p/${place}/`
  let ticket: { readonly word: string; readonly until: number } | undefined
  const isTicket = (c: Context, given: string): boolean => {
    if (ticket === undefined || c.req.path !== '/' || !isSameSecret(given, ticket.word)) return false
    const isInTime = Date.now() < ticket.until
    ticket = undefined
    return isInTime
  }
  const givenBy = (c: Context): 'token' | 'cookie' | undefined => {
    const given = bearerOf(c.req.header('authorization')) ?? c.req.query('token')
    if (given !== undefined) return isSameSecret(given, token) || isTicket(c, given) ? 'token' : undefined
    return isSameSecret(getCookie(c, name) ?? '', pass) ? 'cookie' : undefined
  }
  return {
    base,
    async check(c, next) {
      for (const [header, value] of Object.entries(HEADERS)) c.header(header, value)
      const foreign = foreignTo(port, { host: c.req.header('host'), origin: c.req.header('origin') }) ?? embedded(c)
      if (foreign !== undefined) return c.json({ error: { reason: 'foreign', message: foreign } }, 403)
      const by = givenBy(c)
      const message =
        'The token is missing, wrong, or from an earlier start. Open the address that `escrow serve` prints.'
      if (by === undefined) return c.json({ error: { reason: 'no_token', message } }, 401)
      if (by === 'cookie' && isDeciding(c) && c.req.header('origin') === undefined)
        return c.json(
          {
            error: {
              reason: 'foreign',
              message:
                'The request has no Origin header. Decide in a browser, on the address that `escrow serve` prints.',
            },
          },
          403,
        )
      return next()
    },
    ticket() {
      ticket = { word: newToken(), until: Date.now() + TICKET_MS }
      return ticket.word
    },
    admit(c) {
      setCookie(c, name, pass, { path: base, httpOnly: true, sameSite: 'Strict' })
    },
  }
}

/** A page of another site, or of another port here, shows one of ours in itself or asks for it. */
function embedded(c: Context): string | undefined {
  const [site, mode] = [c.req.header('sec-fetch-site'), c.req.header('sec-fetch-mode')]
  if (site === undefined || site === 'same-origin' || site === 'none') return undefined
  // A link in an editor or a chat may lead here, with the token.
  const isVisit =
    mode === 'navigate' && c.req.method === 'GET' && c.req.path === '/' && c.req.query('token') !== undefined
  return isVisit ? undefined : 'Requests from other sites are refused.'
}

function isDeciding(c: Context): boolean {
  return c.req.method !== 'GET' && c.req.method !== 'HEAD'
}
