import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { Reviewer, Workspace } from '../index.js'
import { ChangeEvents } from './change-events.js'
import { type Act, decideRoutes } from './decide-routes.js'
import { failureOf } from './failure.js'
import { Files } from './files.js'
import { makeGuard } from './guard.js'
import { ledgerRoutes } from './ledger-routes.js'
import { builtPage, type PageFile, readPage } from './page-files.js'
import { readRoutes } from './read-routes.js'
import { Rooms } from './review-handle.js'

export interface AppOptions {
  readonly workspace: Workspace
  readonly token: string
  /** Where it listens: requests under another name are refused. */
  readonly port: number
  /** Throws where who started the server may not do that; asked before each decision. */
  readonly admit: (act: Act) => void
  /** Who decides. Default: git's user. */
  readonly by?: Reviewer
  /** The directory of the built page. */
  readonly page?: string
}

export interface App {
  fetch(request: Request): Response | Promise<Response>
  /** See `Guard.ticket`. */
  ticket(): string
  close(): void
}

const BODY = 4 * 1024 * 1024

/**
 * The review page and its API as one fetch-style handler.
 * @throws where the page was not built.
 */
export function createApp(options: AppOptions): App {
  const { workspace } = options
  const guard = makeGuard(options)
  const rooms = new Rooms(workspace)
  const news = new ChangeEvents(workspace, rooms)
  const page = readPage(options.page ?? builtPage())
  const site = new Hono()
  site.use('/api/*', bodyLimitOf(BODY))
  site.get('/api/events', (c) => news.stream(c))
  site.route('/api', readRoutes({ workspace, rooms, files: new Files() }))
  site.route('/api', ledgerRoutes(workspace))
  site.route('/api', decideRoutes({ workspace, rooms, admit: options.admit, by: options.by }))
  site.get('/:name{.*}', (c) => {
    const name = c.req.param('name')
    const file = page.get(name)
    if (file === undefined)
      return c.json({ error: { reason: 'not_found', message: 'There is no page at this address.' } }, 404)
    return c.body(file.content, 200, {
      'content-type': file.type,
      'cache-control': 'private, max-age=31536000, immutable',
    })
  })

  const app = new Hono()
  app.use(guard.check)
  app.onError((error, c) => {
    const { status, failure } = failureOf(error)
    return c.json({ error: failure }, status)
  })
  const front = indexOf(page, guard.base)
  for (const place of ['/', guard.base])
    app.get(place, (c) => {
      guard.admit(c)
      return c.html(front)
    })
  app.route(guard.base, site)
  app.route('/', site)
  return { fetch: (request) => app.fetch(request), ticket: () => guard.ticket(), close: () => news.close() }
}

/** The page finds all else of it below the browser's own path. */
function indexOf(page: ReadonlyMap<string, PageFile>, base: string): string {
  const html = page.get('index.html')
  if (html === undefined) throw new Error("The page was not built. Run 'npm run build'.")
  return new TextDecoder().decode(Buffer.from(html.content)).replace('<head>', `<head><base href="${base}">`)
}

function bodyLimitOf(maxSize: number) {
  return bodyLimit({
    maxSize,
    onError: (c) =>
      c.json({ error: { reason: 'limit_exceeded', message: `The request has more than ${maxSize} bytes.` } }, 413),
  })
}
