import { randomUUID } from 'node:crypto'
import type { McpConnection, McpHost } from './host.js'
import type { SentBody } from './http-body.js'
import { HttpTransport } from './http-transport.js'

/** Most connected clients. One without a running call keeps its session until another needs the place. */
const MAX_CLIENTS = 32
/** Milliseconds for which a client keeps its session after it connected or was last active, however many others connect. */
const KEPT_MS = 10_000

interface Client {
  readonly transport: HttpTransport
  readonly connection: McpConnection
}

/** The clients of the revisions before 2026-07-28, each with a connection that it names. */
export class HttpClients {
  readonly #host: McpHost
  readonly #byId = new Map<string, Client>()
  /** Clients that are being connected, and have no id yet. */
  #opening = 0
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
    if (known !== undefined) return await known.transport.answer(request, sent)
    if (this.#byId.size + this.#opening >= MAX_CLIENTS && !this.#evictIdle()) return busyResponse()
    this.#opening++
    try {
      return await this.#connect(request, sent)
    } finally {
      this.#opening--
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#byId.values()].map((client) => this.#closeClient(client)))
  }

  /** Answers the first request of a client. */
  async #connect(request: Request, sent: SentBody | undefined): Promise<Response> {
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
    try {
      return await transport.answer(request, sent)
    } finally {
      // The request started no connection: closes the one that was opened for it.
      if (transport.sessionId === undefined) await this.#closeClient(client)
    }
  }

  /** Closes the client that has been idle for longest. Returns whether there was one. */
  #evictIdle(): boolean {
    const now = performance.now()
    const [oldest] = [...this.#byId.values()]
      .filter(({ transport }) => transport.isIdle && now - transport.lastSeen >= KEPT_MS)
      .sort((a, b) => a.transport.lastSeen - b.transport.lastSeen)
    if (oldest === undefined) return false
    void this.#closeClient(oldest)
    return true
  }

  async #closeClient(client: Client): Promise<void> {
    const id = client.transport.sessionId
    if (id !== undefined) this.#byId.delete(id)
    await client.connection.close()
  }
}

function busyResponse(): Response {
  const seconds = KEPT_MS / 1_000
  const error = `The server has ${MAX_CLIENTS} active clients, which is its limit. Try again in ${seconds} seconds, or end a client.`
  return Response.json({ error }, { status: 503, headers: { 'retry-after': String(seconds) } })
}

export function errorResponse(status: number, error: string): Response {
  return Response.json({ error }, { status })
}
