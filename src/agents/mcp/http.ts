import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { bearerOf, foreignTo, isSameSecret, listenOnLoopback, newToken } from '../../index.js'
import type { McpConnection, McpHost } from './host.js'

/** Where to listen, always on 127.0.0.1. */
export interface HttpOptions {
  /** A free one unless told. */
  readonly port?: number
}

/** A server that listens. */
export interface McpHttp {
  /** With the token, for a client's settings. */
  readonly url: string
  close(): Promise<void>
}

/** Clients at a time: one that went without a word holds its session until others need the place. */
const MOST = 32
/** Bytes of one message. */
const BODY = 64 * 1024 * 1024

interface Client {
  readonly transport: StreamableHTTPServerTransport
  readonly connection: McpConnection
  running: number
  seen: number
}

/** Serves a host's clients over streamable HTTP, on loopback, to who has the token and comes from no other site. */
export async function serveMcpHttp(host: McpHost, { port = 0 }: HttpOptions = {}): Promise<McpHttp> {
  const token = newToken()
  const clients = new Clients(host)
  const answer =
    (at: number): RequestListener =>
    (request, response) => {
      const refusal = refusalOf(request, at, token)
      if (refusal !== undefined) return refuse(response, ...refusal)
      clients.handle(request, response).catch((error: unknown) => {
        refuse(response, 500, error instanceof Error ? error.message : String(error))
      })
    }
  const server = await listenOnLoopback(answer, { port })
  return {
    url: `http://127.0.0.1:${server.port}/mcp?token=${token}`,
    async close() {
      await clients.close()
      await server.close()
    },
  }
}

function refusalOf(request: IncomingMessage, port: number, token: string): [number, string] | undefined {
  const { host, origin, authorization } = request.headers
  const foreign = foreignTo(port, { host, origin })
  if (foreign !== undefined) return [403, foreign]
  const url = new URL(request.url ?? '/', `http://${host}`)
  const given = bearerOf(authorization) ?? url.searchParams.get('token') ?? ''
  if (!isSameSecret(given, token)) return [401, 'The token is missing or wrong.']
  return url.pathname === '/mcp' ? undefined : [404, 'There is /mcp and nothing else.']
}

function refuse(response: ServerResponse, code: number, message: string): void {
  if (response.headersSent) response.destroy()
  else response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify({ error: message }))
}

class Clients {
  readonly #host: McpHost
  readonly #byId = new Map<string, Client>()
  #isClosed = false

  constructor(host: McpHost) {
    this.#host = host
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = request.headers['mcp-session-id']
    const known = typeof id === 'string' ? this.#byId.get(id) : undefined
    if (id !== undefined && known === undefined) return refuse(response, 404, 'There is no such connection any more.')
    if (known === undefined && request.method !== 'POST') return refuse(response, 400, 'A connection begins by POST.')
    const client = known ?? (await this.#begin())
    client.running++
    response.once('close', () => {
      client.running--
      client.seen = Date.now()
      // It was no beginning: what was opened for it is closed.
      if (client.transport.sessionId === undefined) void this.#end(client)
    })
    await client.transport.handleRequest(request, response)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#byId.values()].map((client) => this.#end(client)))
  }

  async #begin(): Promise<Client> {
    await this.#makeRoom()
    const transport = new StreamableHTTPServerTransport({
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

  async #makeRoom(): Promise<void> {
    if (this.#byId.size < MOST) return
    const [oldest] = [...this.#byId.values()].filter(({ running }) => running === 0).sort((a, b) => a.seen - b.seen)
    if (oldest === undefined) throw new Error(`There are ${MOST} clients, and all of them are at work.`)
    await this.#end(oldest)
  }

  async #end(client: Client): Promise<void> {
    const id = client.transport.sessionId
    if (id !== undefined) this.#byId.delete(id)
    await client.connection.close()
  }
}
