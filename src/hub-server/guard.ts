import type { Context, MiddlewareHandler } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import { type Database, findToken, HubError, type Identity, type Role } from '../hub/index.js'
import { bearerOf } from '../os/loopback.js'
import { RateLimit } from './rate-limit.js'

/** What a request has after authentication. */
export interface HubEnv {
  Variables: { caller: Identity }
}

export interface Guard {
  readonly headers: MiddlewareHandler
  /** For machines: a token in the header `Authorization`. */
  readonly authenticate: MiddlewareHandler<HubEnv>
  /** For people: the token of the cookie. Undefined without a valid one. */
  visitor(c: Context): Promise<Identity | undefined>
  /** Sets the cookie, if the token is a valid one. */
  admit(c: Context, token: string): Promise<boolean>
}

const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}

const COOKIE = 'escrow-hub'
/** Requests of one token in a minute. */
const MAX_REQUESTS = 1_200
/** Requests without a valid token in a minute, of all callers together. */
const MAX_STRANGERS = 120

/** @param now milliseconds, for the limits of requests */
export function createGuard(database: Database, now: () => number = Date.now): Guard {
  const requests = new RateLimit(MAX_REQUESTS, now)
  const strangers = new RateLimit(MAX_STRANGERS, now)
  const identify = async (token: string | undefined): Promise<Identity | undefined> => {
    // Looked up first: those who guess must not keep out those who have a token.
    const found = token === undefined || token === '' ? undefined : await findToken(database, token)
    if (found === undefined) {
      if (!strangers.take('')) throw tooMany()
    } else if (!requests.take(JSON.stringify([found.tenant, found.workspace, found.name]))) throw tooMany()
    return found
  }
  return {
    headers: async (c, next) => {
      for (const [name, value] of Object.entries(HEADERS)) c.header(name, value)
      return next()
    },
    authenticate: async (c, next) => {
      const caller = await identify(bearerOf(c.req.header('authorization')))
      if (caller === undefined)
        return c.json({ error: { code: 'no_token', message: 'The token is missing, wrong or revoked.' } }, 401)
      c.set('caller', caller)
      return next()
    },
    async visitor(c) {
      assertOwnForm(c)
      const token = getCookie(c, COOKIE)
      return token === undefined ? undefined : identify(token)
    },
    async admit(c, token) {
      assertOwnForm(c)
      if ((await identify(token)) === undefined) return false
      const secure = c.req.header('x-forwarded-proto') === 'https'
      setCookie(c, COOKIE, token, { path: '/', httpOnly: true, sameSite: 'Strict', secure })
      return true
    },
  }
}

/** A browser sends the cookie with forms of other sites of the same domain as well. Only our own pages may post. */
function assertOwnForm(c: Context): void {
  if (c.req.method === 'GET' || c.req.method === 'HEAD') return
  const origin = c.req.header('origin')
  const isOwn = origin !== undefined && URL.canParse(origin) && new URL(origin).host === c.req.header('host')
  if (!isOwn) throw new HubError('refused', 'Forms of other sites are refused.')
}

/** @throws HubError `refused` unless the caller has one of the roles */
export function requireRole(caller: Identity, ...roles: readonly Role[]): void {
  if (roles.includes(caller.role)) return
  throw new HubError('refused', `A token of the role ${caller.role} may not do this. It takes ${roles.join(' or ')}.`)
}

function tooMany(): HubError {
  return new HubError('away', 'There are too many requests. Try again in a minute.')
}
