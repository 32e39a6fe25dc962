/** The common rules of servers on this machine: which requests they accept, and how long a client may take. */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'

/** The headers that show the origin of a request. */
export interface Caller {
  readonly host: string | undefined
  readonly origin: string | undefined
}

/** Returns a random secret of 256 bits for one run of a server, safe in a URL. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Compares two secrets in constant time. */
export function isSameSecret(candidate: string, secret: string): boolean {
  const [a, b] = [Buffer.from(candidate), Buffer.from(secret)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/**
 * Returns the reason to refuse a request from another site; undefined for any other request. A page of another site can
 * make a browser send requests here, but not with our host (its own name may resolve to this address) and our origin.
 */
export function foreignTo(port: number, { host = '', origin }: Caller): string | undefined {
  const names = [`127.0.0.1:${port}`, `localhost:${port}`]
  if (!names.includes(host)) return 'The Host header does not name this server.'
  if (origin !== undefined && !names.some((name) => origin === `http://${name}`))
    return 'Requests from other sites are refused.'
  return undefined
}

/** Returns the token of an `Authorization: Bearer` header. */
export function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer (.+)$/i.exec(authorization ?? '')?.[1]
}

/** A server that only this machine can reach. */
export interface LoopbackServer {
  readonly port: number
  /** Ends every connection. */
  close(): Promise<void>
}

/** Time limits for clients, in milliseconds. */
export interface Patience {
  /** For the head of a request. */
  readonly head: number
  /** For the whole request. */
  readonly request: number
  /** The longest time without any data in either direction; 0: no limit. */
  readonly idle: number
  /** How often head and request are checked. */
  readonly check: number
}

export interface LoopbackOptions {
  /** The default is a free port. */
  readonly port?: number
  readonly patience?: Patience
  /** The limit of connections. One more ends the connection that has been idle longest, if there is one. */
  readonly connections?: number
}

/** The default time limits. */
export const PATIENCE: Patience = { head: 10_000, request: 60_000, idle: 0, check: 2_000 }

/**
 * Listens on 127.0.0.1 only.
 * @param listener called with the port once it is known
 * @throws the errors of `listen`: EADDRINUSE, EACCES
 */
export async function listenOnLoopback(
  listener: (port: number) => RequestListener,
  { port = 0, patience = PATIENCE, connections }: LoopbackOptions = {},
): Promise<LoopbackServer> {
  const server = createServer({
    headersTimeout: patience.head,
    requestTimeout: patience.request,
    connectionsCheckingInterval: patience.check,
  })
  server.timeout = patience.idle
  if (connections !== undefined) limitConnections(server, connections)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const at = portOf(server, port)
  const close = async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  }
  try {
    server.on('request', listener(at))
    return { port: at, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Node's own limit refuses the newest connection, so idle connections could keep all others out. */
function limitConnections(server: Server, most: number): void {
  /** Running requests of each connection, the longest idle first. */
  const open = new Map<Socket, number>()
  const put = (socket: Socket, requests: number) => {
    open.delete(socket)
    open.set(socket, requests)
  }
  server.on('connection', (socket) => {
    socket.once('close', () => open.delete(socket))
    const longest = open.size < most ? undefined : [...open].find(([, requests]) => requests === 0)?.[0]
    longest?.destroy()
    if (longest !== undefined) open.delete(longest)
    if (open.size < most) put(socket, 0)
    else socket.destroy()
  })
  server.on('request', ({ socket }, response) => {
    put(socket, (open.get(socket) ?? 0) + 1)
    response.once('close', () => {
      const requests = open.get(socket)
      if (requests !== undefined) put(socket, requests - 1)
    })
  })
}

function portOf(server: Server, port: number): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}
