import { randomUUID } from 'node:crypto'
import type { McpConnection, McpHost } from './host.js'
import type { SentBody } from './http-body.js'
import { HttpTransport } from './http-transport.js'

/** Most connected clients. One without a running call keeps its session until another needs the place. */
const MAX_CLIENTS = 32

interface Client {
  readonly transport: HttpTransport
  readonly connection: McpConnection
}

/** The clients of the revisions before 2026-07-28, each with a connection that it names. */
export class HttpClients {
  readonly #host: McpHost
  readonly #byId = new Map<string, Client>()
  #isClosed = false

  constructor(host: McpHost) {
    this.#host = host
  }

  /** @param sent the body of the request; undefined if it has none */
  async handle(request: Request, sent: SentBody | undefined): Promise<Response> {
    const id = request.headers.get('mcp-session-id')
    const known = id === null ? undefined : this.#byId.get(id)
    if (id !== null && known === undefined) return errorResponse(404, 'This connection has ended. Start a new one.')
    if (known === undefined && request.method !== 'POST') return errorResponse(400, 'Start a connection with POST.')
    const client = known ?? (await this.#openClient())
    try {
      return await client.transport.answer(request, sent)
    } finally {
      // The request started no connection: closes the one that was opened for it.
      if (client.transport.sessionId === undefined) await this.#closeClient(client)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#byId.values()].map((client) => this.#closeClient(client)))
  }

  async #openClient(): Promise<Client> {
    await this.#evictIdle()
    const transport = new HttpTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        this.#byId.set(id, client)
        if (this.#isClosed) void this.#closeClient(client)
      },
      onsessionclosed: () => this.#closeClient(client),
    })
    const connection = await this.#host.connect(transport)
    const client: Client = { transport, connection }
    return client
  }

  async #evictIdle(): Promise<void> {
    if (this.#byId.size < MAX_CLIENTS) return
    const [oldest] = [...this.#byId.values()]
      .filter(({ transport }) => transport.isIdle)
      .sort((a, b) => a.transport.lastSeen - b.transport.lastSeen)
    if (oldest === undefined)
      throw new Error(`The server has ${MAX_CLIENTS} active clients, which is its limit. Try again later.`)
    await this.#closeClient(oldest)
  }

  async #closeClient(client: Client): Promise<void> {
    const id = client.transport.sessionId
    if (id !== undefined) this.#byId.delete(id)
    await client.connection.close()
  }
}

export function errorResponse(status: number, error: string): Response {
  return Response.json({ error }, { status })
}
