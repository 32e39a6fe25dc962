import { getRequestListener } from '@hono/node-server'
import { defined } from '../core/defined.js'
import type { Database } from '../hub/index.js'
import { listenOnLoopback, PATIENCE, type Patience } from '../os/loopback.js'
import { createHubApp } from './app.js'
import { openProvider } from './provider.js'
import type { SignInSettings } from './sign-in-settings.js'
import type { Telemetry } from './telemetry.js'
import { Wakes } from './wakes.js'

export interface HubServerOptions {
  readonly database: Database
  readonly port?: number
  /** Lets people sign in by an identity provider. */
  readonly signIn?: SignInSettings | undefined
  /** Receives each request. The caller stops it after the server. */
  readonly telemetry?: Telemetry | undefined
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

/**
 * Serves a hub on loopback.
 * @throws HubError `refused` if the package for sign-in is missing
 */
export async function serveHub({ database, port, signIn, telemetry, report }: HubServerOptions): Promise<HubServer> {
  const provider = signIn && { settings: signIn, provider: await openProvider(signIn, report) }
  const wakes = await Wakes.of(database)
  const app = createHubApp({ database, wakes, signIn: provider, telemetry, report })
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
