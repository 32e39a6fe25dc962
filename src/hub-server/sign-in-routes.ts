import { Hono } from 'hono'
import { z } from 'zod'
import { addSignIn, beginSignIn, chooseAccess, type Database, HubError, takeBegunSignIn } from '../hub/index.js'
import { toFailure } from './failure.js'
import type { Guard, HubEnv } from './guard.js'
import { renderLogin, renderMessage } from './page.js'
import { CALLBACK, type Provider } from './provider.js'
import { RateLimit } from './rate-limit.js'
import { readCookie, removeCookie, writeCookie } from './sign-in-cookies.js'
import { renderAccesses, renderSignedIn } from './sign-in-pages.js'
import type { SignInSettings } from './sign-in-settings.js'

export interface SignInRoutesOptions {
  readonly database: Database
  readonly guard: Guard
  readonly settings: SignInSettings
  readonly provider: Provider
  readonly report: (error: unknown) => void
}

/** Sign-ins that begin in a minute, of all callers together: each is a row of the database for some minutes. */
const MAX_BEGUN = 120

const ACCESS = z.object({ tenant: z.string(), workspace: z.string(), role: z.enum(['reviewer', 'admin']) })

/** Sign-in by an identity provider. No address of a request decides where a browser goes next. */
export function signInRoutes({ database, guard, settings, provider, report }: SignInRoutesOptions): Hono<HubEnv> {
  const app = new Hono<HubEnv>()
  const begins = new RateLimit(MAX_BEGUN, Date.now)
  app.onError((error, c) => {
    const { status, failure } = toFailure(error, report)
    return c.html(renderMessage(failure.message), status)
  })
  app.get('/sign-in', async (c) => {
    if (!begins.take('')) throw new HubError('away', 'There are too many requests. Try again in a minute.')
    const { cookie, ...begun } = await beginSignIn(database)
    const address = await provider.address(begun)
    writeCookie(c, settings, 'begun', cookie)
    return c.redirect(address)
  })
  app.get(CALLBACK, async (c) => {
    const [cookie, state] = [readCookie(c, settings, 'begun'), c.req.query('state')]
    const begun = cookie && state ? await takeBegunSignIn(database, cookie, state) : undefined
    if (begun === undefined)
      throw new HubError('refused', 'This browser did not begin that sign-in, or it took too long. Begin again.')
    removeCookie(c, settings, 'begun')
    const person = await provider.identify(begun, new URL(c.req.url).search)
    guard.enter(c, await addSignIn(database, person))
    return c.html(renderSignedIn())
  })
  app.get('/workspace', async (c) => {
    const signedIn = await guard.signIn(c)
    return signedIn === undefined ? c.html(renderLogin(false, true), 401) : c.html(renderAccesses(signedIn))
  })
  app.post('/workspace', async (c) => {
    const signedIn = await guard.signIn(c)
    if (signedIn === undefined) return c.html(renderLogin(false, true), 401)
    await chooseAccess(database, signedIn, ACCESS.parse(await c.req.parseBody()))
    return c.redirect('/', 303)
  })
  return app
}
