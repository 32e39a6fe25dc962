import { randomUUID } from 'node:crypto'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import type { McpConnection, McpHost } from './host.js'

/** Bytes of one message. */
export const BODY = 64 * 1024 * 1024

/** Clients at a time: one that went without a word holds its session until others need the place. */
const MOST = 32

interface Client {
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly connection: McpConnection
  running: number
  seen: number
}

/** The clients of the revisions before 2026-07-28, each with a connection that it names. */
export class HttpClients {
  readonly #host: McpHost
  readonly #byId = new Map<string, Client>()
  #isClosed = false

  constructor(host: McpHost) {
    this.#host = host
  }

  async handle(request: Request): Promise<Response> {
    const id = request.headers.get('mcp-session-id')
    const known = id === null ? undefined : this.#byId.get(id)
    if (id !== null && known === undefined) return errorResponse(404, 'This connection has ended. Start a new one.')
    if (known === undefined && request.method !== 'POST') return errorResponse(400, 'Start a connection with POST.')
    const client = known ?? (await this.#begin())
    client.running++
    try {
      return await client.transport.handleRequest(request)
    } finally {
      client.running--
      client.seen = Date.now()
      // It was no beginning: what was opened for it is closed.
      if (client.transport.sessionId === undefined) await this.#end(client)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#byId.values()].map((client) => this.#end(client)))
  }

  async #begin(): Promise<Client> {
    await this.#evictIdle()
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      maxRequestBodySize: BODY,
      onsessioninitialized: (id) => {
        this.#byId.set(id, client)
        if (this.#isClosed) void this.#end(client)
      },
      onsessionclosed: () => this.#end(client),
    })
    const connection = await this.#host.connect(transport)
    const client: Client = { transport, connection, running: 0, seen: Date.now() }
    return client
  }

  async #evictIdle(): Promise<void> {
    if (this.#byId.size < MOST) return
    const [oldest] = [...this.#byId.values()].filter(({ running }) => running === 0).sort((a, b) => a.seen - b.seen)
    if (oldest === undefined)
      throw new Error(`The server has ${MOST} active clients, which is its limit. Try again later.`)
    await this.#end(oldest)
  }

  async #end(client: Client): Promise<void> {
    const id = client.transport.sessionId
    if (id !== undefined) this.#byId.delete(id)
    await client.connection.close()
  }
}

export function errorResponse(status: number, error: string): Response {
  return Response.json({ error }, { status })
}
