import type { MiddlewareHandler } from 'hono'
import { routePath } from 'hono/route'
import type { Counted, Counters, Telemetry } from './telemetry.js'

/** Counts requests, for Prometheus and for OpenTelemetry. Labels hold route names, never tenant data. */
export class Metrics {
  readonly #requests = new Map<string, Counted>()
  readonly #seconds = new Map<string, Counted>()
  #running = 0

  /** @param telemetry receives each request */
  constructor(private readonly telemetry?: Telemetry) {
    telemetry?.watch(() => this.#counters())
  }

  readonly count: MiddlewareHandler = async (c, next) => {
    const at = Date.now()
    const began = performance.now()
    this.#running++
    try {
      await next()
    } finally {
      this.#running--
      const seconds = (performance.now() - began) / 1000
      const route = { method: methodOf(c.req.method), route: routePath(c, -1) }
      const { status } = c.res
      add(this.#requests, { ...route, status: String(status) }, 1)
      add(this.#seconds, route, seconds)
      this.telemetry?.answered({ ...route, status, at, seconds })
    }
  }

  /** The text format of Prometheus. */
  render(): string {
    return [
      '# TYPE escrow_hub_requests_total counter',
      ...lines('escrow_hub_requests_total', this.#requests),
      '# TYPE escrow_hub_request_seconds_total counter',
      ...lines('escrow_hub_request_seconds_total', this.#seconds),
      '# TYPE escrow_hub_running_requests gauge',
      `escrow_hub_running_requests ${this.#running}`,
      '',
    ].join('\n')
  }

  #counters(): Counters {
    return { requests: [...this.#requests.values()], seconds: [...this.#seconds.values()], running: this.#running }
  }
}

function lines(name: string, counted: ReadonlyMap<string, Counted>): string[] {
  return [...counted].map(([labels, { value }]) => `${name}{${labels}} ${value}`)
}

function add(to: Map<string, Counted>, labels: Counted['labels'], amount: number): void {
  const key = Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join(',')
  to.set(key, { labels, value: (to.get(key)?.value ?? 0) + amount })
}

/** A caller can send any word as a method; each would be one more line. */
function methodOf(method: string): string {
  return ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'].includes(method) ? method : 'other'
}
