import { type Context, Hono } from 'hono'
import { z } from 'zod'
import { type ChosenHunks, type Database, HubError, type Identity, openStores } from '../hub/index.js'
import { toFailure } from './failure.js'
import { type Guard, type HubEnv, requireRole } from './guard.js'
import { renderLandings } from './landings-page.js'
import { deciderOf, renderLogin, renderMessage, renderQueue, renderReview } from './page.js'
import { readShown } from './shown.js'
import { STYLE } from './style.js'

const FORM = z.object({
  key: z.union([z.string(), z.array(z.string())]).optional(),
  hunk: z.union([z.string(), z.array(z.string())]).optional(),
  verdict: z.enum(['approved', 'rejected']),
  reason: z.string().max(10_000).optional(),
  /** Whom the form was made for. */
  decider: z.string(),
})

const SIGN_OUT = z.object({ which: z.enum(['this', 'all']) })

export interface PageRoutesOptions {
  readonly database: Database
  readonly guard: Guard
  readonly hasSignIn: boolean
  readonly report: (error: unknown) => void
}

/** The pages for people: without scripts, and with a token or a sign-in in a cookie. */
export function pageRoutes({ database, guard, hasSignIn, report }: PageRoutesOptions): Hono<HubEnv> {
  const app = new Hono<HubEnv>()
  const askWho = async (c: Context) =>
    (await guard.signIn(c)) === undefined ? c.html(renderLogin(false, hasSignIn), 401) : c.redirect('/workspace', 303)
  const asReviewer = (caller: Identity) => {
    requireRole(caller, 'reviewer', 'admin')
    return openStores(database, caller)
  }
  app.onError((error, c) => {
    const { status, failure } = toFailure(error, report)
    return c.html(renderMessage(failure.message), status)
  })
  app.get('/style.css', (c) => c.body(STYLE, 200, { 'content-type': 'text/css; charset=utf-8' }))
  app.post('/login', async (c) => {
    const { token } = z.object({ token: z.string() }).parse(await c.req.parseBody())
    return (await guard.admit(c, token.trim())) ? c.redirect('/', 303) : c.html(renderLogin(true, hasSignIn), 401)
  })
  app.post('/sign-out', async (c) => {
    await guard.leave(c, SIGN_OUT.parse(await c.req.parseBody()).which)
    return c.redirect('/', 303)
  })
  app.get('/', async (c) => {
    const caller = await guard.visitor(c)
    if (caller === undefined) return askWho(c)
    const order = c.req.query('order') === 'age' ? 'age' : 'risk'
    const { queue, landings } = asReviewer(caller)
    const landing = renderLandings(await landings.repository(), await landings.list())
    return c.html(renderQueue(caller, await queue.list(order), order, landing))
  })
  app.get('/review/:id', async (c) => {
    const caller = await guard.visitor(c)
    if (caller === undefined) return askWho(c)
    const { queue, contents } = asReviewer(caller)
    const submission = await queue.get(c.req.param('id'))
    const shown = await readShown(submission, contents)
    return c.html(renderReview(deciderOf(caller), submission, shown, c.req.query('choose') === 'all'))
  })
  app.post('/review/:id', async (c) => {
    const caller = await guard.visitor(c)
    if (caller === undefined) return askWho(c)
    requireRole(caller, 'reviewer')
    const id = c.req.param('id')
    try {
      const { key = [], hunk = [], verdict, reason, decider } = FORM.parse(await c.req.parseBody({ all: true }))
      if (decider !== deciderOf(caller))
        throw new HubError(
          'refused',
          `Somebody else has signed in since this page was opened. You are ${caller.name} now.`,
        )
      const request = { keys: [key].flat(), hunks: hunksOf([hunk].flat()), verdict, reason }
      await asReviewer(caller).queue.decide(id, request, caller.name, caller.proof)
    } catch (error) {
      const { status, failure } = toFailure(error, report)
      return c.html(renderMessage(failure.message, status === 404 ? undefined : id), status)
    }
    return c.redirect(`/review/${encodeURIComponent(id)}`, 303)
  })
  return app
}

/** The hunks of the form by the key of their change. @param names a key, a space and the id of a hunk each */
function hunksOf(names: readonly string[]): ChosenHunks[] {
  const byKey = new Map<string, string[]>()
  for (const name of names) {
    const [key = '', id = ''] = name.split(' ', 2)
    byKey.set(key, [...(byKey.get(key) ?? []), id])
  }
  return [...byKey].map(([key, ids]) => ({ key, ids }))
}
