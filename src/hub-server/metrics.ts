import type { MiddlewareHandler } from 'hono'
import { routePath } from 'hono/route'

/** Counts requests, in the text format of Prometheus. Labels hold route names, never tenant data. */
export class Metrics {
  readonly #requests = new Map<string, number>()
  readonly #seconds = new Map<string, number>()
  #running = 0

  readonly count: MiddlewareHandler = async (c, next) => {
    const began = performance.now()
    this.#running++
    try {
      await next()
    } finally {
      this.#running--
      const route = `method="${methodOf(c.req.method)}",route="${routePath(c, -1)}"`
      add(this.#requests, `${route},status="${c.res.status}"`, 1)
      add(this.#seconds, route, (performance.now() - began) / 1000)
    }
  }

  render(): string {
    return [
      '# TYPE escrow_hub_requests_total counter',
      ...[...this.#requests].map(([labels, count]) => `escrow_hub_requests_total{${labels}} ${count}`),
      '# TYPE escrow_hub_request_seconds_total counter',
      ...[...this.#seconds].map(([labels, seconds]) => `escrow_hub_request_seconds_total{${labels}} ${seconds}`),
      '# TYPE escrow_hub_running_requests gauge',
      `escrow_hub_running_requests ${this.#running}`,
      '',
    ].join('\n')
  }
}

function add(to: Map<string, number>, key: string, amount: number): void {
  to.set(key, (to.get(key) ?? 0) + amount)
}

/** A caller can send any word as a method; each would be one more line. */
function methodOf(method: string): string {
  return ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'].includes(method) ? method : 'other'
}
