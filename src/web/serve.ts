import type { RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { defined } from '../core/defined.js'
import { listenOnLoopback, newToken, PATIENCE, type Patience } from '../surface/index.js'
import { type App, type AppOptions, createApp } from './app.js'

export interface ServeOptions extends Omit<AppOptions, 'token' | 'port'> {
  /** Default: a free port. */
  readonly port?: number
  readonly patience?: Patience
  /** Maximum concurrent connections. Default: 128. */
  readonly connections?: number
  /**
   * Handlers of other modules by path, such as `/hooks/claude`. Each authenticates its own callers; their tokens do not open the page.
   */
  readonly mounts?: Readonly<Record<string, RequestListener>>
}

export interface ReviewServer {
  /** Contains the token, which allows reading and deciding. */
  readonly url: string
  /** Creates an address for one visit in the next minute: for a program that opens it, whose arguments others can read. */
  ticket(): string
  /** Reads a session's changes before the page asks for them, while a browser starts. */
  prepare(session: string): void
  close(): Promise<void>
}

/** The event stream has a heartbeat, so a connection that is idle for a minute does not read. */
const REVIEW_PATIENCE: Patience = { ...PATIENCE, idle: 60_000 }
const MAX_CONNECTIONS = 128

/** Serves the review page on loopback, with a new token for each start. */
export async function serveReview({
  port,
  patience = REVIEW_PATIENCE,
  connections = MAX_CONNECTIONS,
  mounts = {},
  ...options
}: ServeOptions): Promise<ReviewServer> {
  const token = newToken()
  const apps: App[] = []
  const listener = (at: number) => {
    const app = createApp({ ...options, token, port: at })
    apps.push(app)
    const page = getRequestListener((request) => app.fetch(request), { overrideGlobalObjects: false })
    const routes = new Map<string | undefined, RequestListener>(Object.entries(mounts))
    const listen: RequestListener = (incoming, outgoing) =>
      (routes.get(incoming.url?.split('?', 1)[0]) ?? page)(incoming, outgoing)
    return listen
  }
  const server = await listenOnLoopback(listener, {
    patience,
    connections,
    ...defined({ port }),
  })
  const addressWith = (word = '') => `http://127.0.0.1:${server.port}/?token=${word}`
  return {
    url: addressWith(token),
    ticket: () => addressWith(apps[0]?.ticket()),
    prepare: (session) => apps[0]?.prepare(session),
    async close() {
      for (const app of apps) app.close()
      await server.close()
    },
  }
}
