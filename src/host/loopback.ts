/** What servers on this machine have in common: who may ask, and how long a client may take. */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'

/** What a request says of where it comes from. */
export interface Caller {
  readonly host: string | undefined
  readonly origin: string | undefined
}

/** 256 bits nobody can guess, for one start of a server; fit for an address. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Compares two secrets in a time that tells nothing of where they differ. */
export function isSameSecret(given: string, secret: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(secret)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/**
 * Why a request is another site's, in words; undefined where it is not. A page of another site can make a browser ask here,
 * but neither under our name (its name may lead here) nor with our origin.
 */
export function foreignTo(port: number, { host = '', origin }: Caller): string | undefined {
  const names = [`127.0.0.1:${port}`, `localhost:${port}`]
  if (!names.includes(host)) return 'This is not the host it was asked as.'
  if (origin !== undefined && !names.some((name) => origin === `http://${name}`)) return 'No other site may ask.'
  return undefined
}

/** The token of an `Authorization: Bearer` header. */
export function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer (.+)$/i.exec(authorization ?? '')?.[1]
}

/** A server that listens on this machine alone. */
export interface LoopbackServer {
  readonly port: number
  /** Ends every connection. */
  close(): Promise<void>
}

/** Milliseconds that clients are given. */
export interface Patience {
  /** For a request's head. */
  readonly head: number
  /** For all of it. */
  readonly request: number
  /** In which a connection must move something, either way; 0: no limit. */
  readonly idle: number
  /** How often head and request are looked at. */
  readonly check: number
}

export interface LoopbackOptions {
  /** A free one unless told. */
  readonly port?: number
  readonly patience?: Patience
  /** Connections at a time. One more ends the one that has been without a request for longest, if there is one. */
  readonly connections?: number
}

/** What a server of ours waits for, unless told. */
export const PATIENCE: Patience = { head: 10_000, request: 60_000, idle: 0, check: 2_000 }

/**
 * Listens on 127.0.0.1 alone.
 * @param listener is made once the port is known.
 * @throws what `listen` says: EADDRINUSE, EACCES.
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

/** A limit that Node keeps refuses the newest, so whoever opens connections and says nothing would keep all others out. */
function limitConnections(server: Server, most: number): void {
  /** Requests under way of each connection; the one that has been without any for longest comes first. */
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
