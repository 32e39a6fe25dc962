import { getRequestListener } from '@hono/node-server'
import { defined } from '../core/defined.js'
import type { Database } from '../hub/index.js'
import { listenOnLoopback, PATIENCE, type Patience } from '../os/loopback.js'
import { createHubApp } from './app.js'
import { Wakes } from './wakes.js'

export interface HubServerOptions {
  readonly database: Database
  readonly port?: number
  /** Called with errors that the hub does not expect. Callers do not see them. */
  readonly report: (error: unknown) => void
}

export interface HubServer {
  readonly url: string
  close(): Promise<void>
}

/** A request for decisions waits for up to half a minute. */
const HUB_PATIENCE: Patience = { ...PATIENCE, idle: 60_000 }
const MAX_CONNECTIONS = 512

/** Serves a hub on loopback. */
export async function serveHub({ database, port, report }: HubServerOptions): Promise<HubServer> {
  const wakes = await Wakes.of(database)
  const app = createHubApp({ database, wakes, report })
  const listener = getRequestListener((request) => app.fetch(request), { overrideGlobalObjects: false })
  const options = { patience: HUB_PATIENCE, connections: MAX_CONNECTIONS, ...defined({ port }) }
  const server = await listenOnLoopback(() => listener, options)
  return {
    url: `http://127.0.0.1:${server.port}`,
    async close() {
      await wakes.close()
      await server.close()
    },
  }
}
