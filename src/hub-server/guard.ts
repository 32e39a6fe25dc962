import type { Context, MiddlewareHandler } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import {
  type Database,
  endSignIn,
  findSignIn,
  findToken,
  HubError,
  type Identity,
  type Role,
  type SignIn,
} from '../hub/index.js'
import { bearerOf } from '../os/loopback.js'
import { RateLimit } from './rate-limit.js'
import { readCookie, removeCookie, writeCookie } from './sign-in-cookies.js'
import type { SignInSettings } from './sign-in-settings.js'

/** The variables of a request after authentication. */
export interface HubEnv {
  Variables: { caller: Identity }
}

export interface Guard {
  readonly headers: MiddlewareHandler
  /** For machines: a token in the header `Authorization`. */
  readonly authenticate: MiddlewareHandler<HubEnv>
  /** For people: a sign-in with a chosen access, or the token of the cookie. Undefined without a valid one. */
  visitor(c: Context): Promise<Identity | undefined>
  /** The sign-in of the cookie, also before an access was chosen. Undefined without a valid one. */
  signIn(c: Context): Promise<SignIn | undefined>
  /** Sets the cookie, if the token is a valid one. */
  admit(c: Context, token: string): Promise<boolean>
  /** Sets the cookie of a sign-in. */
  enter(c: Context, session: string): void
  /** Removes the cookies, and ends the sign-in, or all of its person. */
  leave(c: Context, which: 'this' | 'all'): Promise<void>
}

export interface GuardOptions {
  /** Undefined: people sign in by tokens alone. */
  readonly signIn?: SignInSettings | undefined
  /** Milliseconds, for the limits of requests. */
  readonly now?: () => number
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

/** The cookie of a token. */
const COOKIE = 'escrow-hub'
/** Requests of one token in a minute. */
const MAX_REQUESTS = 1_200
/** Requests without a valid token in a minute, of all callers together. */
const MAX_STRANGERS = 120

export function createGuard(database: Database, { signIn, now = Date.now }: GuardOptions = {}): Guard {
  const requests = new RateLimit(MAX_REQUESTS, now)
  const strangers = new RateLimit(MAX_STRANGERS, now)
  /**
   * Called after the look-up of the token, so that callers who guess tokens cannot exhaust the limit of known callers.
   */
  const count = (caller: readonly string[] | undefined) => {
    const isWithin = caller === undefined ? strangers.take('') : requests.take(JSON.stringify(caller))
    if (!isWithin) throw new HubError('away', 'There are too many requests. Try again in a minute.')
  }
  const identify = async (token: string | undefined): Promise<Identity | undefined> => {
    const found = token === undefined || token === '' ? undefined : await findToken(database, token)
    count(found && [found.tenant, found.workspace, found.name])
    return found
  }
  const recognize = async (c: Context): Promise<SignIn | undefined> => {
    const cookie = signIn && readCookie(c, signIn, 'session')
    if (signIn === undefined || cookie === undefined) return undefined
    const found = await findSignIn(database, cookie, signIn.issuer)
    count(found && ['sign-in', found.subject])
    return found
  }
  return {
    headers: async (c, next) => {
      for (const [name, value] of Object.entries(HEADERS)) c.header(name, value)
      return next()
    },
    authenticate: async (c, next) => {
      const caller = await identify(bearerOf(c.req.header('authorization')))
      if (caller === undefined) return refuseToken(c)
      c.set('caller', caller)
      return next()
    },
    async visitor(c) {
      assertOwnForm(c)
      const signedIn = await recognize(c)
      if (signedIn !== undefined) return signedIn.identity
      const token = getCookie(c, COOKIE)
      return token === undefined ? undefined : identify(token)
    },
    async signIn(c) {
      assertOwnForm(c)
      return recognize(c)
    },
    async admit(c, token) {
      assertOwnForm(c)
      if ((await identify(token)) === undefined) return false
      await end(c, 'this')
      const secure = c.req.header('x-forwarded-proto') === 'https'
      setCookie(c, COOKIE, token, { path: '/', httpOnly: true, sameSite: 'Strict', secure })
      return true
    },
    enter(c, session) {
      if (signIn === undefined) return
      deleteCookie(c, COOKIE)
      writeCookie(c, signIn, 'session', session)
    },
    async leave(c, which) {
      assertOwnForm(c)
      await end(c, which)
      deleteCookie(c, COOKIE)
    },
  }

  async function end(c: Context, which: 'this' | 'all'): Promise<void> {
    const cookie = signIn && readCookie(c, signIn, 'session')
    if (signIn === undefined || cookie === undefined) return
    await endSignIn(database, cookie, which)
    removeCookie(c, signIn, 'session')
  }
}

/** A browser sends a cookie with forms of other sites of the same domain as well. Only our own pages may post. */
function assertOwnForm(c: Context): void {
  if (c.req.method === 'GET' || c.req.method === 'HEAD') return
  const origin = c.req.header('origin')
  const isOwn = origin !== undefined && URL.canParse(origin) && new URL(origin).host === c.req.header('host')
  if (!isOwn) throw new HubError('refused', 'Forms of other sites are refused.')
}

/** Answers a request without a valid token. */
export function refuseToken(c: Context): Response {
  return c.json({ error: { code: 'no_token', message: 'The token is missing, wrong or revoked.' } }, 401)
}

/** @throws HubError `refused` unless the caller has one of the roles */
export function requireRole(caller: Identity, ...roles: readonly Role[]): void {
  if (roles.includes(caller.role)) return
  throw new HubError('refused', `The role ${caller.role} may not do this. It takes ${roles.join(' or ')}.`)
}
