import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { listenOn } from './listen.js'
import type { Random } from './random.js'

/** The fate of a request. `lost answer`: the hub does the work, and the caller does not learn it. */
export type Weather = 'clear' | 'partition' | 'lost answer' | 'held' | 'duplicated' | 'reordered'

const HOLD_MS = 1_500

/** The network between machines and hubs: a balancer whose requests can be lost, delayed, repeated and reordered. */
export class Network {
  weather: Weather = 'clear'
  readonly #server: Server
  #turn = 0

  private constructor(
    private readonly hubs: readonly string[],
    private readonly random: Random,
  ) {
    this.#server = createServer((request, response) => void this.#pass(request, response))
  }

  static async start(hubs: readonly string[], random: Random): Promise<{ network: Network; url: string }> {
    const network = new Network(hubs, random)
    return { network, url: await listenOn(network.#server) }
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const body = await readBody(request)
      // The faults may change while a long poll waits.
      const { weather } = this
      if (weather === 'partition') return void response.destroy()
      if (weather === 'held') await sleep(HOLD_MS)
      if (weather === 'reordered') await sleep(this.random.below(400))
      const answer = await this.#ask(request, body)
      if (weather === 'duplicated' && request.method !== 'GET') await this.#ask(request, body)
      if (weather === 'lost answer' || this.weather === 'partition') return void response.destroy()
      response.writeHead(answer.status, { 'content-type': 'application/json' })
      response.end(Buffer.from(await answer.arrayBuffer()))
    } catch {
      if (!response.headersSent) response.writeHead(502)
      response.end()
    }
  }

  /** Calls the next hub, and the others if it does not answer. */
  async #ask({ method = 'GET', url = '/', headers }: IncomingMessage, body: Buffer): Promise<Response> {
    const { authorization = '' } = headers
    for (let attempt = 1; ; attempt++) {
      const hub = this.hubs[this.#turn++ % this.hubs.length]
      try {
        return await fetch(`${hub}${url}`, {
          method,
          headers: { authorization },
          body: method === 'GET' ? null : new Uint8Array(body),
        })
      } catch (error) {
        if (attempt === this.hubs.length) throw error
      }
    }
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}
