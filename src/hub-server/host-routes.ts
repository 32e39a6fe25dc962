import { setTimeout as sleep } from 'node:timers/promises'
import { Hono } from 'hono'
import { z } from 'zod'
import {
  CHANGE,
  type Database,
  type Decision,
  findToken,
  type Hold,
  HubError,
  type Identity,
  openStores,
  SESSION_FACTS,
} from '../hub/index.js'
import { bearerOf } from '../os/loopback.js'
import { type HubEnv, refuseToken, requireRole } from './guard.js'
import type { Wakes } from './wakes.js'

/** The most changes of one submission. */
const MAX_CHANGES = 20_000
/** The longest time that a request waits for decisions, in seconds. */
const MAX_WAIT = 30

const EPOCH = z.number().int().min(1)
const SUBMISSION = z.object({
  session: z.string().max(100),
  epoch: EPOCH,
  digest: z.string().max(100),
  revision: z.number().int().min(1),
  changes: z.array(CHANGE).max(MAX_CHANGES),
  facts: SESSION_FACTS.optional(),
})
const CLAIM = z.object({ session: z.string().max(100), epoch: EPOCH, path: z.string().max(4096) })
const INTENT = z.object({ name: z.string().max(500), status: z.string().max(50) })

/** The routes for agents' machines. None of them decides. */
export function hostRoutes(database: Database, wakes: Wakes): Hono<HubEnv> {
  const app = new Hono<HubEnv>()
  const ownHold = (c: { get(key: 'caller'): HubEnv['Variables']['caller'] }) => {
    const caller = c.get('caller')
    requireRole(caller, 'host')
    const holdOf = (session: string, epoch: number): Hold => ({
      session: ownSession(caller, session),
      epoch,
      host: caller.name,
    })
    return { caller, stores: openStores(database, caller), holdOf }
  }
  app.post('/sessions/:id/open', async (c) => {
    const { caller, stores } = ownHold(c)
    return c.json(await stores.registry.open(ownSession(caller, c.req.param('id')), caller.name))
  })
  app.post('/sessions/:id/beat', async (c) => {
    const { stores, holdOf } = ownHold(c)
    const { epoch } = z.object({ epoch: EPOCH }).parse(await c.req.json())
    return c.json(await stores.registry.beat(holdOf(c.req.param('id'), epoch)))
  })
  app.put('/intents/:id', async (c) => {
    const { stores } = ownHold(c)
    const { name, status } = INTENT.parse(await c.req.json())
    await stores.registry.putIntent({ id: c.req.param('id').slice(0, 100), name, status })
    return c.body(null, 204)
  })
  app.post('/claims', async (c) => {
    const { stores, holdOf } = ownHold(c)
    const { session, epoch, path, milliseconds } = CLAIM.extend({ milliseconds: z.number() }).parse(await c.req.json())
    return c.json(await stores.claims.claim(holdOf(session, epoch), path, milliseconds))
  })
  app.delete('/claims', async (c) => {
    const { stores, holdOf } = ownHold(c)
    const { session, epoch, path } = CLAIM.parse(await c.req.json())
    await stores.claims.release(holdOf(session, epoch), path)
    return c.body(null, 204)
  })
  app.put('/contents/:digest', async (c) => {
    const { stores } = ownHold(c)
    const bytes = new Uint8Array(await c.req.arrayBuffer())
    return c.json({ created: await stores.contents.put(c.req.param('digest'), bytes) })
  })
  app.post('/submissions', async (c) => {
    const { stores, holdOf } = ownHold(c)
    const { session, epoch, digest, revision, changes, facts } = SUBMISSION.parse(await c.req.json())
    return c.json(await stores.queue.submit(holdOf(session, epoch), { digest, revision, changes, facts }))
  })
  app.get('/decisions', async (c) => {
    const { caller, stores } = ownHold(c)
    const since = z.coerce
      .number()
      .int()
      .min(0)
      .parse(c.req.query('since') ?? 0)
    const wait = z.coerce
      .number()
      .min(0)
      .max(MAX_WAIT)
      .parse(c.req.query('wait') ?? 0)
    const answer = (found: Awaited<ReturnType<typeof stores.queue.since>>) =>
      c.json(c.req.query('hunks') === '1' ? found : Object.assign({}, found, { decisions: onWholes(found.decisions) }))
    // Taken before the read: a decision between the two is not missed.
    const woken = wakes.next()
    const found = await stores.queue.since(since, caller.name)
    if (found.decisions.length + found.landings.length > 0 || found.last < since || wait === 0) return answer(found)
    await within(wait * 1000, woken, c.req.raw.signal)
    // An operator may have revoked the token in the meantime.
    if ((await findToken(database, bearerOf(c.req.header('authorization')) ?? '')) === undefined) return refuseToken(c)
    return answer(await stores.queue.since(since, caller.name))
  })
  return app
}

/**
 * The decisions for a machine of an earlier version, which applies a decision on hunks to the whole change. The machine
 * gets an approval only once the last hunk is approved, and every rejection.
 */
function onWholes(decisions: readonly Decision[]): Decision[] {
  return decisions.flatMap(({ hunks, ...decision }) =>
    hunks === undefined || decision.outcome === 'approved' || decision.verdict === 'rejected' ? [decision] : [],
  )
}

/** Sessions of all hosts are in one list, so a host's begin with its name: it cannot take another's before it is opened. */
function ownSession({ name }: Identity, session: string): string {
  if (session.startsWith(`${name}.`)) return session
  throw new HubError('refused', `The sessions of ${name} have ids that begin with '${name}.'.`)
}

/** Waits for an event, until a time limit or until the caller disconnects. */
async function within(milliseconds: number, event: Promise<void>, gone: AbortSignal): Promise<void> {
  const timer = new AbortController()
  const signal = AbortSignal.any([timer.signal, gone])
  await Promise.race([event, sleep(milliseconds, undefined, { signal, ref: false }).catch(() => undefined)])
  timer.abort()
}
