import type { RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { defined } from '../core/defined.js'
import { listenOnLoopback, newToken, PATIENCE, type Patience } from '../surface/index.js'
import { type App, type AppOptions, createApp } from './app.js'

export interface ServeOptions extends Omit<AppOptions, 'token' | 'port'> {
  /** Default: a free port. */
  readonly port?: number
  readonly patience?: Patience
  /** Connections at a time. Default: 128. */
  readonly connections?: number
  /**
   * Routes of other rooms by their path, such as `/hooks/claude`. Each sees for itself who may ask: who has its token has not
   * the page's.
   */
  readonly mounts?: Readonly<Record<string, RequestListener>>
}

export interface Served {
  /** With the token: who has it can look and decide. */
  readonly url: string
  /** An address that is good for one visit in the next minute: for a program that opens it, whose arguments others can read. */
  ticket(): string
  close(): Promise<void>
}

/** The news have a beat, so who moves nothing for a minute does not read. */
const OURS: Patience = { ...PATIENCE, idle: 60_000 }
const CONNECTIONS = 128

/** Serves the review page on loopback, under a token of its own for each start. */
export async function serveReview({
  port,
  patience = OURS,
  connections = CONNECTIONS,
  mounts = {},
  ...options
}: ServeOptions): Promise<Served> {
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
    async close() {
      for (const app of apps) app.close()
      await server.close()
    },
  }
}
