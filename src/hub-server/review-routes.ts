import { Hono } from 'hono'
import { z } from 'zod'
import { type Database, HubError, openStores, RULES } from '../hub/index.js'
import { type HubEnv, requireRole } from './guard.js'

const KEY = z.string().max(100)
/** Strict: a field that this version does not know may be what limits the decision. */
const DECISION = z.strictObject({
  keys: z.array(KEY).max(20_000),
  hunks: z
    .array(z.object({ key: KEY, ids: z.array(z.string().max(100)).max(20_000) }))
    .max(20_000)
    .optional(),
  verdict: z.enum(['approved', 'rejected']),
  reason: z.string().max(10_000).optional(),
})

/** The routes for programs of reviewers. They offer the same as the pages. */
export function reviewRoutes(database: Database): Hono<HubEnv> {
  const app = new Hono<HubEnv>()
  app.get('/queue', async (c) => {
    requireRole(c.get('caller'), 'reviewer', 'admin')
    const order = c.req.query('order') === 'age' ? 'age' : 'risk'
    return c.json(await openStores(database, c.get('caller')).queue.list(order))
  })
  app.get('/queue/:id', async (c) => {
    requireRole(c.get('caller'), 'reviewer', 'admin')
    return c.json(await openStores(database, c.get('caller')).queue.get(c.req.param('id')))
  })
  app.post('/queue/:id/decisions', async (c) => {
    const caller = c.get('caller')
    requireRole(caller, 'reviewer')
    const request = DECISION.parse(await c.req.json())
    await openStores(database, caller).queue.decide(c.req.param('id'), request, caller.name, caller.proof)
    return c.body(null, 204)
  })
  app.get('/contents/:digest', async (c) => {
    requireRole(c.get('caller'), 'reviewer', 'admin')
    const bytes = await openStores(database, c.get('caller')).contents.get(c.req.param('digest'))
    if (bytes === undefined) throw new HubError('not_found', 'The hub does not have this content.')
    return c.body(new Uint8Array(bytes), 200, { 'content-type': 'application/octet-stream' })
  })
  app.get('/sessions', async (c) => c.json(await openStores(database, c.get('caller')).registry.sessions()))
  app.get('/intents', async (c) => c.json(await openStores(database, c.get('caller')).registry.intents()))
  app.get('/claims', async (c) => c.json(await openStores(database, c.get('caller')).claims.list()))
  app.post('/claims/:id/end', async (c) => {
    const caller = c.get('caller')
    requireRole(caller, 'reviewer', 'admin')
    await openStores(database, caller).claims.override(c.req.param('id'), caller.name)
    return c.body(null, 204)
  })
  app.get('/rules', async (c) => {
    requireRole(c.get('caller'), 'reviewer', 'admin')
    return c.json(await openStores(database, c.get('caller')).rules.get())
  })
  app.put('/rules', async (c) => {
    const caller = c.get('caller')
    requireRole(caller, 'admin')
    await openStores(database, caller).rules.set(RULES.parse(await c.req.json()), caller.name)
    return c.body(null, 204)
  })
  app.get('/landings', async (c) => {
    requireRole(c.get('caller'), 'reviewer', 'admin')
    return c.json(await openStores(database, c.get('caller')).landings.list())
  })
  app.get('/audit', async (c) => {
    requireRole(c.get('caller'), 'admin')
    const after = z.coerce
      .number()
      .int()
      .min(0)
      .parse(c.req.query('after') ?? 0)
    return c.json(await openStores(database, c.get('caller')).ledger.read('audit', after))
  })
  return app
}
