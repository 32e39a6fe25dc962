import { HubError, packageMissing } from '../hub/index.js'

/** A request of the hub that was answered. It has the pattern of the route, so no name, path, token or query of the caller. */
export interface AnsweredRequest {
  readonly method: string
  readonly route: string
  readonly status: number
  /** When it began, in milliseconds since 1970. */
  readonly at: number
  readonly seconds: number
}

export interface Counted {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** The counters of the page `/metrics`. */
export interface Counters {
  readonly requests: readonly Counted[]
  readonly seconds: readonly Counted[]
  readonly running: number
}

/** Sends data about a hub to OpenTelemetry. */
export interface Telemetry {
  /** Reads the counters whenever metrics are sent. */
  watch(counters: () => Counters): void
  /** Makes a span of a request. */
  answered(request: AnsweredRequest): void
  /** Sends what was not sent yet, and ends. */
  stop(): Promise<void>
}

/** The signals that the operator's variables request. */
export interface TelemetrySettings {
  readonly traces: boolean
  readonly metrics: boolean
}

const PACKAGE = '@opentelemetry/sdk-node'
/** The newest version that runs on each Node that escrowfs does. */
const INSTALLED_AS = `${PACKAGE}@0.223`
const SERVICE = 'escrow-hub'

/**
 * Reads the standard variables of OpenTelemetry. A signal is sent only if a variable names where to.
 * @returns undefined if no signal is requested
 * @throws HubError `refused` for an exporter that would listen on the network
 */
export function readTelemetrySettings(env: NodeJS.ProcessEnv): TelemetrySettings | undefined {
  if (env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true') return undefined
  const isAsked = (signal: 'TRACES' | 'METRICS') => {
    const exporters = (env[`OTEL_${signal}_EXPORTER`] ?? '').split(',').map((name) => name.trim())
    if (exporters.includes('prometheus'))
      throw new HubError(
        'refused',
        'The exporter prometheus would open a port to the network. The hub has the page /metrics.',
      )
    if (exporters.includes('none')) return false
    const places = [env.OTEL_EXPORTER_OTLP_ENDPOINT, env[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`]]
    return [...exporters, ...places].some((value) => value !== undefined && value.trim() !== '')
  }
  const settings = { traces: isAsked('TRACES'), metrics: isAsked('METRICS') }
  return settings.traces || settings.metrics ? settings : undefined
}

/**
 * Starts OpenTelemetry as the standard variables say. Its resource is what `OTEL_RESOURCE_ATTRIBUTES` and `OTEL_SERVICE_NAME` name, and
 * nothing that it would find out about the machine and the process.
 * @param report called with the error if the last data cannot be sent
 * @throws HubError `refused` if the package for it is missing
 */
export async function startTelemetry(
  { traces, metrics }: TelemetrySettings,
  report: (error: unknown) => void,
): Promise<Telemetry> {
  const { api, NodeSDK, resources } = await import('@opentelemetry/sdk-node').catch((error: unknown) => {
    throw packageMissing(INSTALLED_AS, error)
  })
  const sdk = new NodeSDK({
    // Instead of the default, which has the path of the program as its name. The variables' name replaces ours.
    resource: resources.resourceFromAttributes({ 'service.name': SERVICE }),
    resourceDetectors: [resources.envDetector],
    instrumentations: [],
    textMapPropagator: null,
    logRecordProcessors: [],
    ...(!traces && { spanProcessors: [] }),
    ...(!metrics && { metricReaders: [] }),
  })
  sdk.start()
  const tracer = api.trace.getTracer(SERVICE)
  const meter = api.metrics.getMeter(SERVICE)
  return {
    watch(counters) {
      const requests = meter.createObservableCounter('escrow.hub.requests')
      const seconds = meter.createObservableCounter('escrow.hub.request.duration', { unit: 's' })
      const running = meter.createObservableUpDownCounter('escrow.hub.running_requests')
      meter.addBatchObservableCallback(
        (result) => {
          const now = counters()
          for (const { labels, value } of now.requests) result.observe(requests, value, labels)
          for (const { labels, value } of now.seconds) result.observe(seconds, value, labels)
          result.observe(running, now.running)
        },
        [requests, seconds, running],
      )
    },
    answered({ method, route, status, at, seconds }) {
      const attributes = { 'http.request.method': method, 'http.route': route, 'http.response.status_code': status }
      const { SERVER } = api.SpanKind
      const span = tracer.startSpan(`${method} ${route}`, { kind: SERVER, root: true, startTime: at, attributes })
      if (status >= 500) span.setStatus({ code: api.SpanStatusCode.ERROR })
      span.end(at + seconds * 1000)
    },
    async stop() {
      await sdk.shutdown().catch(report)
      for (const each of [api.trace, api.metrics, api.context, api.propagation]) each.disable()
    },
  }
}
