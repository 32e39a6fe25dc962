import { Hono } from 'hono'
import type { Reviewer, Workspace } from '../index.js'
import { limitBody } from '../surface/index.js'
import { ChangeEvents } from './change-events.js'
import { type Action, decideRoutes } from './decide-routes.js'
import { toFailure } from './failure.js'
import { Files } from './files.js'
import { createGuard } from './guard.js'
import { ledgerRoutes } from './ledger-routes.js'
import { builtPage, type PageFile, readPage } from './page-files.js'
import { readRoutes } from './read-routes.js'
import { ReviewHandles } from './review-handle.js'

export interface AppOptions {
  readonly workspace: Workspace
  readonly token: string
  /** The port it listens on: requests for another host name are refused. */
  readonly port: number
  /** Called before each decision; throws if the person who started the server may not make it. */
  readonly admit: (act: Action) => void
  /** The reviewer. Default: git's user. */
  readonly by?: Reviewer
  /** The directory of the built page. */
  readonly page?: string
}

export interface App {
  fetch(request: Request): Response | Promise<Response>
  /** See `Guard.ticket`. */
  ticket(): string
  /** Reads a session's changes before the page asks for them. */
  prepare(session: string): void
  close(): void
}

const MAX_BODY_BYTES = 4 * 1024 * 1024

/**
 * The review page and its API as one fetch-style handler.
 * @throws if the page is not built.
 */
export function createApp(options: AppOptions): App {
  const { workspace } = options
  const guard = createGuard(options)
  const handles = new ReviewHandles(workspace)
  const news = new ChangeEvents(workspace, handles)
  const page = readPage(options.page ?? builtPage())
  const site = new Hono()
  site.use('/api/*', (c, next) => {
    c.req.raw = limitBody(c.req.raw, MAX_BODY_BYTES)
    return next()
  })
  site.get('/api/events', (c) => news.stream(c))
  site.route('/api', readRoutes({ workspace, handles, files: new Files() }))
  site.route('/api', ledgerRoutes(workspace))
  site.route('/api', decideRoutes({ workspace, handles, admit: options.admit, by: options.by }))
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
    const { status, failure } = toFailure(error)
    return c.json({ error: failure }, status)
  })
  const indexHtml = renderIndex(page, guard.base)
  for (const path of ['/', guard.base])
    app.get(path, (c) => {
      guard.admit(c)
      return c.html(indexHtml)
    })
  app.route(guard.base, site)
  app.route('/', site)
  return {
    fetch: (request) => app.fetch(request),
    ticket: () => guard.ticket(),
    prepare(session) {
      const reading = handles.of(session).current()
      // The page reads it again, and shows the error.
      reading.catch(() => undefined)
    },
    close: () => news.close(),
  }
}

/** Renders index.html with a base, so that the page's files are found below the browser's secret path. */
function renderIndex(page: ReadonlyMap<string, PageFile>, base: string): string {
  const html = page.get('index.html')
  if (html === undefined) throw new Error("The page was not built. Run 'npm run build'.")
  return new TextDecoder().decode(Buffer.from(html.content)).replace('<head>', `<head><base href="${base}">`)
}
