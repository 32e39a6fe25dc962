import type { Context, MiddlewareHandler } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import { bearerOf, foreignTo, isSameSecret, newToken } from '../surface/index.js'

export interface GuardOptions {
  readonly token: string
  readonly port: number
}

export interface Guard {
  /** The path at which the browser finds the page; it contains a secret. */
  readonly base: string
  readonly check: MiddlewareHandler
  /** Sets the cookie for a browser that came with the token. */
  admit(c: Context): void
  /** Creates a ticket that replaces the token for one visit within a short time: for an address that others may see. */
  ticket(): string
}

/** Milliseconds for which a ticket is valid. */
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

const NO_TOKEN = 'The token is missing, wrong, or from an earlier start.'

/** For a person who opens an old address in a browser. */
const NO_TOKEN_PAGE = [
  '<!doctype html>',
  '<html lang="en"><head><meta charset="utf-8"><title>escrow · review</title>',
  '<meta name="viewport" content="width=device-width, initial-scale=1">',
  '<meta name="color-scheme" content="light dark"></head>',
  '<body><h1>This address is not valid now</h1>',
  `<p>${NO_TOKEN}</p>`,
  '<p>Run <code>escrow review --web</code> again, or open the address that <code>escrow serve</code> prints now.</p>',
  '<p>All verdicts are kept.</p></body></html>',
].join('\n')

/**
 * Admits requests that have the token, our host name and our origin. A browser sends cookies to every port of a host, so also to
 * other servers on this machine: our cookie is bound to a path with a second secret, and is sent nowhere else.
 */
export function createGuard({ token, port }: GuardOptions): Guard {
  const name = `escrow-${port}`
  const [cookieSecret, pathSecret] = [newToken(), newToken()]
  const base = `/p/${pathSecret}/`
  let ticket: { readonly secret: string; readonly until: number } | undefined
  const isTicket = (c: Context, candidate: string): boolean => {
    if (ticket === undefined || c.req.path !== '/' || !isSameSecret(candidate, ticket.secret)) return false
    const isInTime = performance.now() < ticket.until
    ticket = undefined
    return isInTime
  }
  const authenticate = (c: Context): 'token' | 'cookie' | undefined => {
    const candidate = bearerOf(c.req.header('authorization')) ?? c.req.query('token')
    if (candidate !== undefined) return isSameSecret(candidate, token) || isTicket(c, candidate) ? 'token' : undefined
    return isSameSecret(getCookie(c, name) ?? '', cookieSecret) ? 'cookie' : undefined
  }
  return {
    base,
    async check(c, next) {
      for (const [header, value] of Object.entries(HEADERS)) c.header(header, value)
      const foreign =
        foreignTo(port, { host: c.req.header('host'), origin: c.req.header('origin') }) ?? crossSiteProblem(c)
      if (foreign !== undefined) return c.json({ error: { reason: 'foreign', message: foreign } }, 403)
      const credential = authenticate(c)
      if (credential === undefined) {
        if (c.req.header('accept')?.includes('text/html')) return c.html(NO_TOKEN_PAGE, 401)
        const message = `${NO_TOKEN} Open the address that \`escrow serve\` prints.`
        return c.json({ error: { reason: 'no_token', message } }, 401)
      }
      if (credential === 'cookie' && isDecision(c) && c.req.header('origin') === undefined)
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
      ticket = { secret: newToken(), until: performance.now() + TICKET_MS }
      return ticket.secret
    },
    admit(c) {
      setCookie(c, name, cookieSecret, { path: base, httpOnly: true, sameSite: 'Strict' })
    },
  }
}

/** Refuses a page of another site or port that embeds or requests ours. */
function crossSiteProblem(c: Context): string | undefined {
  const [site, mode] = [c.req.header('sec-fetch-site'), c.req.header('sec-fetch-mode')]
  if (site === undefined || site === 'same-origin' || site === 'none') return undefined
  // A link in an editor or a chat may contain the token.
  const isVisit =
    mode === 'navigate' && c.req.method === 'GET' && c.req.path === '/' && c.req.query('token') !== undefined
  return isVisit ? undefined : 'Requests from other sites are refused.'
}

function isDecision(c: Context): boolean {
  return c.req.method !== 'GET' && c.req.method !== 'HEAD'
}
