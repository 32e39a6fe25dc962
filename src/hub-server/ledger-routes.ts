import { Hono } from 'hono'
import { z } from 'zod'
import { type Database, HubError, openStores } from '../hub/index.js'
import { type HubEnv, requireRole } from './guard.js'

const AFTER = z.coerce.number().int().min(0)
/** How many lines the hub has before a batch, and the fold of their hashes. */
const PLACE = z.object({ after: AFTER, sha256: z.string().regex(/^(?:[0-9a-f]{64})?$/) })

/**
 * The ledgers of machines. A machine reads and continues its own: its name is that of its token, and no part of the request. People read all
 * of them.
 * @param report called with errors after an answer has begun
 */
export function ledgerRoutes(database: Database, report: (error: unknown) => void): Hono<HubEnv> {
  const app = new Hono<HubEnv>()
  app.get('/ledger', async (c) => {
    const caller = c.get('caller')
    requireRole(caller, 'host')
    return c.json(await openStores(database, caller).machines.head(caller.name))
  })
  app.post('/ledger', async (c) => {
    const caller = c.get('caller')
    requireRole(caller, 'host')
    const { after, sha256 } = PLACE.parse(c.req.query())
    const lines = linesOf(Buffer.from(await c.req.arrayBuffer()))
    return c.json(await openStores(database, caller).machines.append(caller.name, { lines: after, sha256 }, lines))
  })
  app.get('/ledgers', async (c) => {
    requireRole(c.get('caller'), 'reviewer', 'admin')
    return c.json(await openStores(database, c.get('caller')).machines.list())
  })
  app.get('/ledgers/:machine', async (c) => {
    requireRole(c.get('caller'), 'reviewer', 'admin')
    const after = AFTER.parse(c.req.query('after') ?? 0)
    const pages = openStores(database, c.get('caller')).machines.read(c.req.param('machine'), after)
    return c.body(await streamOf(pages, report), 200, { 'content-type': 'application/jsonl' })
  })
  return app
}

const LF = 10

function linesOf(bytes: Buffer): Buffer[] {
  if (bytes.at(-1) !== LF) throw new HubError('invalid', 'Each line ends with a line feed.')
  const lines: Buffer[] = []
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(LF, from)
    lines.push(bytes.subarray(from, end))
    from = end + 1
  }
  return lines
}

/** Waits for the first page, so that a refusal is an answer of its own. A refusal at a later page ends the stream. */
async function streamOf(
  pages: AsyncGenerator<Uint8Array>,
  report: (error: unknown) => void,
): Promise<ReadableStream<Uint8Array>> {
  let next = await pages.next()
  return new ReadableStream({
    async pull(controller) {
      try {
        if (next.done) return controller.close()
        controller.enqueue(next.value)
        next = await pages.next()
      } catch (error) {
        report(error)
        controller.error(error)
      }
    },
    async cancel() {
      await pages.return(undefined)
    },
  })
}
