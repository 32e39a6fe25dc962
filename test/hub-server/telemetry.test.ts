import { mkdtempSync, rmSync } from 'node:fs'
import { hostname, tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { readTelemetrySettings, startTelemetry } from '../../src/hub-server/index.js'
import { startEscrow } from '../cli/real.js'
import { serveTrial } from '../hub/fixtures.js'
import { copyNewHub } from '../hub/new-hub.js'
import { serveFetch } from '../support/serve-fetch.js'
import { call } from './kit.js'

/** The requests that a collector receives, as OTLP in JSON. */
interface Received {
  readonly path: string
  readonly body: unknown
}

const VALUE = z.union([
  z.object({ stringValue: z.string() }).transform(({ stringValue }) => stringValue),
  z.object({ intValue: z.number() }).transform(({ intValue }) => intValue),
])
const ATTRIBUTES = z
  .array(z.object({ key: z.string(), value: VALUE }))
  .transform((all) => Object.fromEntries(all.map(({ key, value }) => [key, value])))
const RESOURCE = z.object({ attributes: ATTRIBUTES })
const TRACES = z.object({
  resourceSpans: z.array(
    z.object({
      resource: RESOURCE,
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.object({
              name: z.string(),
              kind: z.number(),
              attributes: ATTRIBUTES,
              startTimeUnixNano: z.string(),
              endTimeUnixNano: z.string(),
            }),
          ),
        }),
      ),
    }),
  ),
})
const POINT = z.object({
  attributes: ATTRIBUTES,
  asDouble: z.number().optional(),
  asInt: z.union([z.number(), z.string().transform(Number)]).optional(),
})
const METRICS = z.object({
  resourceMetrics: z.array(
    z.object({
      resource: RESOURCE,
      scopeMetrics: z.array(
        z.object({
          metrics: z.array(z.object({ name: z.string(), sum: z.object({ dataPoints: z.array(POINT) }) })),
        }),
      ),
    }),
  ),
})

/** Sets variables of this process until the test ends. */
function setVariables(variables: Readonly<Record<string, string>>): void {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, variables)
  onTestFinished(() => {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
  })
}

/** A collector on loopback, which the variables name. */
async function collector(more: Readonly<Record<string, string>> = {}): Promise<Received[]> {
  const received: Received[] = []
  const url = await serveFetch(async (request) => {
    received.push({ path: new URL(request.url).pathname, body: await request.json() })
    return Response.json({})
  })
  const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }
  setVariables(Object.assign({}, variables, more))
  return received
}

/** A collector, and a hub that sends to it. */
async function setUpTelemetry(more: Readonly<Record<string, string>> = {}) {
  const received = await collector(more)
  const settings = readTelemetrySettings(process.env)
  if (settings === undefined) throw new Error('Nothing is asked for.')
  const errors: unknown[] = []
  const telemetry = await startTelemetry(settings, (error) => errors.push(error))
  const hub = await serveTrial({ telemetry })
  return { received, hub, telemetry, errors }
}

function spansOf(received: readonly Received[]) {
  const all = received.filter(({ path }) => path === '/v1/traces').map(({ body }) => TRACES.parse(body))
  return all.flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
  )
}

function metricsOf(received: readonly Received[]) {
  const last = received.filter(({ path }) => path === '/v1/metrics').at(-1)
  const { resourceMetrics } = METRICS.parse(last?.body)
  return resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
}

it('sends a span for each request, and the counters of /metrics, when it stops', async () => {
  const { received, hub, telemetry, errors } = await setUpTelemetry()
  const token = await hub.token('laptop', 'host')
  await call(hub, token, '/v1/sessions/laptop.secret-session/open', {})
  await call(hub, token, '/v1/decisions?since=0&wait=0')
  await call(hub, 'wrong', '/v1/queue')
  await call(hub, token, '/src/secret-file.ts?key=secret-query')
  const page = await (await fetch(`${hub.url}/metrics`)).text()
  await telemetry.stop()
  expect(errors).toEqual([])
  const spans = spansOf(received)
  expect(spans.map(({ name, attributes }) => [name, attributes['http.response.status_code']])).toEqual([
    ['POST /v1/sessions/:id/open', 200],
    ['GET /v1/decisions', 200],
    ['GET /v1/queue', 401],
    ['GET /*', 404],
    ['GET /metrics', 200],
  ])
  for (const { kind, attributes, startTimeUnixNano, endTimeUnixNano } of spans) {
    expect(kind).toBe(2)
    expect(Object.keys(attributes).sort()).toEqual(['http.request.method', 'http.response.status_code', 'http.route'])
    expect(BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano)).toBeGreaterThan(0n)
  }
  const metrics = metricsOf(received)
  expect(metrics.map(({ name }) => name).sort()).toEqual([
    'escrow.hub.request.duration',
    'escrow.hub.requests',
    'escrow.hub.running_requests',
  ])
  const requests = metrics.find(({ name }) => name === 'escrow.hub.requests')?.sum.dataPoints ?? []
  const opened = requests.find(({ attributes }) => attributes.route === '/v1/sessions/:id/open')
  expect([opened?.attributes, opened?.asDouble ?? opened?.asInt]).toEqual([
    { method: 'POST', route: '/v1/sessions/:id/open', status: '200' },
    1,
  ])
  expect(page).toContain('escrow_hub_requests_total{method="POST",route="/v1/sessions/:id/open",status="200"} 1')
})

it('sends nothing that names the machine, the process, a tenant, a person, a path, a token or a query', async () => {
  const { received, hub, telemetry } = await setUpTelemetry()
  const token = await hub.token('laptop', 'host')
  await call(hub, token, '/v1/sessions/laptop.secret-session/open', {})
  await call(hub, token, '/v1/claims', { session: 'laptop.secret-session', epoch: 1, path: 'src/secret-file.ts' })
  await call(hub, token, '/no/secret-page?key=secret-query')
  await telemetry.stop()
  expect(received.map(({ path }) => path).sort()).toEqual(['/v1/metrics', '/v1/traces'])
  const text = JSON.stringify(received)
  const { tenant, workspace } = hub.scope
  const owner = userInfo().username
  for (const secret of [tenant, workspace, token, 'laptop', 'secret', hostname(), process.execPath, process.cwd()])
    expect(text).not.toContain(secret)
  expect(text).not.toContain(JSON.stringify(owner))
  for (const { body } of received) {
    const attribute = z.union([
      z.object({ resourceSpans: z.array(z.object({ resource: RESOURCE })) }).transform((all) => all.resourceSpans),
      z.object({ resourceMetrics: z.array(z.object({ resource: RESOURCE })) }).transform((all) => all.resourceMetrics),
    ])
    expect(attribute.parse(body).map(({ resource }) => resource.attributes)).toEqual([{ 'service.name': 'escrow-hub' }])
  }
})

it("reads a resource's attributes only from the variables, even if they request detectors", async () => {
  const { received, telemetry } = await setUpTelemetry({
    OTEL_SERVICE_NAME: 'review',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_NODE_RESOURCE_DETECTORS: 'all',
  })
  telemetry.answered({ method: 'GET', route: '/', status: 500, at: Date.now(), seconds: 0.1 })
  await telemetry.stop()
  const { resourceSpans } = TRACES.parse(received.find(({ path }) => path === '/v1/traces')?.body)
  expect(resourceSpans.map(({ resource }) => resource.attributes)).toEqual([
    { 'service.name': 'review', 'deployment.environment.name': 'test' },
  ])
})

it('escrow hub sends the remaining data when a signal ends it', async () => {
  const place = mkdtempSync(join(tmpdir(), 'escrow-hub-'))
  onTestFinished(() => rmSync(place, { recursive: true, force: true }))
  await copyNewHub(join(place, 'hub'))
  const received = await collector()
  const { child, url } = await startEscrow(place, 'hub', '--dir', 'hub')
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  const ended = new Promise((resolve) => child.once('exit', (code) => resolve(code)))
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
  expect(spansOf(received).map(({ name }) => name)).toEqual(['GET /healthz'])
  expect(metricsOf(received).map(({ name }) => name)).toContain('escrow.hub.requests')
})

it('does not send a signal without an endpoint in a variable', async () => {
  const { received, hub, telemetry } = await setUpTelemetry({
    OTEL_TRACES_EXPORTER: 'none',
    OTEL_LOGS_EXPORTER: 'otlp',
  })
  await fetch(`${hub.url}/healthz`)
  await telemetry.stop()
  expect(received.map(({ path }) => path)).toEqual(['/v1/metrics'])
})

it('continues without its collector, and reports the error when it stops', async () => {
  setVariables({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_EXPORTER_OTLP_TIMEOUT: '500' })
  const errors: unknown[] = []
  const telemetry = await startTelemetry({ traces: true, metrics: true }, (error) => errors.push(error))
  const hub = await serveTrial({ telemetry })
  expect((await fetch(`${hub.url}/healthz`)).status).toBe(200)
  await telemetry.stop()
  expect(errors).toMatchObject([{ code: 'ECONNREFUSED' }])
})

it.each([
  [{}, undefined],
  [{ OTEL_SERVICE_NAME: 'x' }, undefined],
  [{ OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'http://127.0.0.1:1' }, undefined],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }, undefined],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_SDK_DISABLED: 'TRUE' }, undefined],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }, { traces: true, metrics: true }],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:1' }, { traces: true, metrics: false }],
  [{ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://127.0.0.1:1' }, { traces: false, metrics: true }],
  [{ OTEL_TRACES_EXPORTER: 'console' }, { traces: true, metrics: false }],
  [
    { OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'otlp' },
    { traces: false, metrics: true },
  ],
])('reads %j as %j', (env, settings) => {
  expect(readTelemetrySettings(env)).toEqual(settings)
})

it('refuses an exporter that would listen on the network', () => {
  expect(() => readTelemetrySettings({ OTEL_METRICS_EXPORTER: 'otlp,prometheus' })).toThrow('/metrics')
})
