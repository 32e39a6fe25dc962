import { Hono } from 'hono'
import type { Database } from '../hub/index.js'
import { limitBody } from '../os/limited-body.js'
import { toFailure } from './failure.js'
import { createGuard, type HubEnv } from './guard.js'
import { hostRoutes } from './host-routes.js'
import { ledgerRoutes } from './ledger-routes.js'
import { Metrics } from './metrics.js'
import { pageRoutes } from './page-routes.js'
import type { Provider } from './provider.js'
import { reviewRoutes } from './review-routes.js'
import { signInRoutes } from './sign-in-routes.js'
import type { SignInSettings } from './sign-in-settings.js'
import type { Telemetry } from './telemetry.js'
import type { Wakes } from './wakes.js'

export interface HubAppOptions {
  readonly database: Database
  readonly wakes: Wakes
  /** Undefined: people sign in by tokens alone. */
  readonly signIn?: { readonly settings: SignInSettings; readonly provider: Provider } | undefined
  /** Undefined: nothing is sent to OpenTelemetry. */
  readonly telemetry?: Telemetry | undefined
  readonly report: (error: unknown) => void
}

/** The limit of a request, and so of one content. */
const MAX_BODY_BYTES = 8 * 1024 * 1024

/** The hub as one fetch-style handler. */
export function createHubApp({ database, wakes, signIn, telemetry, report }: HubAppOptions): Hono<HubEnv> {
  const metrics = new Metrics(telemetry)
  const guard = createGuard(database, { signIn: signIn?.settings })
  const app = new Hono<HubEnv>()
  app.use(metrics.count)
  app.use(guard.headers)
  app.use((c, next) => {
    c.req.raw = limitBody(c.req.raw, MAX_BODY_BYTES)
    return next()
  })
  app.onError((error, c) => {
    const { status, failure } = toFailure(error, report)
    return c.json({ error: failure }, status)
  })
  app.notFound((c) => c.json({ error: { code: 'not_found', message: 'The hub has nothing at this address.' } }, 404))
  app.get('/healthz', async (c) => {
    await database.transaction((query) => query.rows('select 1 as one'))
    return c.text('ok\n')
  })
  app.get('/metrics', (c) => c.text(metrics.render()))
  app.use('/v1/*', guard.authenticate)
  app.get('/v1/me', (c) => {
    const { tenant, workspace, name, role } = c.get('caller')
    return c.json({ tenant, workspace, name, role })
  })
  app.route('/v1', hostRoutes(database, wakes))
  app.route('/v1', reviewRoutes(database))
  app.route('/v1', ledgerRoutes(database, report))
  if (signIn !== undefined)
    app.route('/', signInRoutes({ database, guard, report, settings: signIn.settings, provider: signIn.provider }))
  app.route('/', pageRoutes({ database, guard, report, hasSignIn: signIn !== undefined }))
  return app
}
