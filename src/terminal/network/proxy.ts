import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type Address, type AllowedHosts, parseAddress } from '../../core/allowed-hosts.js'
import { errorText } from '../../core/error-text.js'
import type { ConnectionCount } from '../../core/exec-api.js'
import { ConnectionLog, formatAddress } from './connections.js'
import { answerSocks, endSocks, isSocks, readSocksRequest, SOCKS_REPLY } from './socks.js'
import { CONNECT_MS, connectTo, joinStreams, lookupWithin, PrivateAddressError } from './tunnel.js'

/** Largest number of open connections of one command. */
export const MAX_CONNECTIONS = 512

export interface HostProxy {
  /** Serves a connection from inside: HTTP or SOCKS 5, by its first byte. */
  accept(socket: Socket): void
  /** The addresses that were reached. */
  connections(): ConnectionCount[]
  /** The distinct refused addresses, as `host:port`. */
  refused(): string[]
  /** Closes every connection. */
  close(): void
}

/**
 * A proxy that reaches only the allowed hosts: HTTP (RFC 9110 §9.3.6 CONNECT, and absolute-form requests for plain HTTP) and SOCKS 5. It
 * does not inspect tunnels: through a host that serves many names, all of them are reachable.
 */
export function hostProxy(allowed: AllowedHosts): HostProxy {
  const log = new ConnectionLog()
  const open = new Set<Duplex>()
  const track = <T extends Duplex>(socket: T): T => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    socket.on('error', () => socket.destroy())
    return socket
  }
  const mayReach = (address: Address | undefined, requested: string): address is Address => {
    if (address !== undefined && allowed.has(address)) return true
    log.refused(address, requested)
    return false
  }
  const tunnel = ({ address, client, head, opened, failed }: Tunnel) => {
    const upstream = track(connectTo(address, allowed))
    const fail = (error: Error) => {
      if (error instanceof PrivateAddressError) log.refused(address, '')
      failed(error)
    }
    const leave = () => upstream.destroy()
    client.once('close', leave)
    upstream.once('error', fail)
    upstream.once('connect', () => {
      upstream.off('error', fail)
      client.off('close', leave)
      log.reached(address)
      opened()
      if (head.length > 0) upstream.write(head)
      joinStreams(client, upstream)
    })
  }

  const server = createServer((incoming, response) => {
    const url = URL.canParse(incoming.url ?? '') ? new URL(incoming.url ?? '') : undefined
    const address = url?.protocol === 'http:' ? parseAddress(url.host, 80) : undefined
    if (!mayReach(address, incoming.headers.host ?? '')) return refuse(response, address)
    forward(incoming, response, { url: url?.href ?? '', address, allowed, log })
  })
  server.on('connect', (incoming: IncomingMessage, client: Duplex, head: Buffer) => {
    const url = incoming.url ?? ''
    const address = parseAddress(url)
    if (!mayReach(address, url)) return endHttp(client, '403 Forbidden', refusalText(address))
    tunnel({
      address,
      client,
      head,
      opened: () => client.write('HTTP/1.1 200 Connection established\r\n\r\n'),
      failed: ({ message }) => endHttp(client, '502 Bad Gateway', message),
    })
  })
  server.on('clientError', (_error, socket) => socket.destroy())

  const socks = async (client: Socket) => {
    const request = await readSocksRequest(client)
    if (request === undefined) return
    const { address, head } = request
    if (!mayReach(address, request.asked)) return endSocks(client, SOCKS_REPLY.notAllowed)
    tunnel({
      address,
      client,
      head,
      opened: () => answerSocks(client, SOCKS_REPLY.done),
      failed: (error) =>
        endSocks(client, error instanceof PrivateAddressError ? SOCKS_REPLY.notAllowed : SOCKS_REPLY.unreachable),
    })
  }
  return {
    accept(socket) {
      if (open.size >= MAX_CONNECTIONS) {
        socket.destroy()
        return
      }
      track(socket)
      socket.once('readable', () => {
        const first: unknown = socket.read()
        if (!(first instanceof Buffer)) {
          socket.destroy()
          return
        }
        socket.unshift(first)
        if (isSocks(first)) socks(socket).catch(() => socket.destroy())
        else server.emit('connection', socket)
      })
    },
    connections: () => log.connections(),
    refused: () => log.unreachable(),
    close() {
      for (const each of open) each.destroy()
    },
  }
}

interface Tunnel {
  readonly address: Address
  readonly client: Duplex
  /** The bytes that the client has already sent. */
  readonly head: Buffer
  /** Answers the client before the first byte. */
  readonly opened: () => void
  /** Ends the client. */
  readonly failed: (error: Error) => void
}

interface Forwarded {
  readonly url: string
  readonly address: Address
  readonly allowed: AllowedHosts
  readonly log: ConnectionLog
}

/**
 * Headers that are for this proxy alone (RFC 9110 §7.6.1), and those that its own request sets. Trailers are not passed on, and neither is
 * their announcement: Node throws for a body that cannot have any.
 */
const OWN_HEADERS = ['proxy-connection', 'proxy-authorization', 'connection', 'keep-alive', 'te', 'trailer', 'upgrade']

function forwardedHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN_HEADERS.includes(name)))
}

function forward(incoming: IncomingMessage, response: ServerResponse, { url, address, allowed, log }: Forwarded): void {
  const upstream = request(url, {
    method: incoming.method,
    headers: { ...forwardedHeaders(incoming.headers), host: new URL(url).host },
    lookup: lookupWithin(allowed, address),
    timeout: CONNECT_MS,
    // A new connection, because one from a pool may lead to a host that this command must not reach.
    agent: false,
  })
  upstream.once('socket', (socket) => socket.once('connect', () => log.reached(address)))
  upstream.once('timeout', () => upstream.destroy(new Error('The host does not answer.')))
  upstream.once('response', (answer) => {
    answer.on('error', () => response.destroy())
    try {
      response.writeHead(answer.statusCode ?? 502, forwardedHeaders(answer.headers))
    } catch (error) {
      upstream.destroy(new Error(`The host's answer is not valid: ${errorText(error)}`))
      return
    }
    answer.pipe(response)
  })
  upstream.on('error', (error) => {
    if (error instanceof PrivateAddressError) log.refused(address, '')
    if (response.headersSent) response.destroy()
    else failWith(response, error.message)
  })
  // A host that switches to another protocol ends the connection without an error.
  upstream.once('close', () => response.headersSent || failWith(response, 'The host did not answer.'))
  response.once('close', () => upstream.destroy())
  incoming.pipe(upstream)
}

function failWith(response: ServerResponse, text: string): void {
  response.writeHead(502, { 'content-type': 'text/plain' }).end(`${text}\n`)
}

function refuse(response: ServerResponse, address: Address | undefined): void {
  response.writeHead(403, { 'content-type': 'text/plain', connection: 'close' }).end(`${refusalText(address)}\n`)
}

/** Ends a client with an answer, and does not wait for it to end its side. */
function endHttp(client: Duplex, status: string, text: string): void {
  client.end(`HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n${text}\n`, () =>
    client.destroy(),
  )
}

function refusalText(address: Address | undefined): string {
  const what = address === undefined ? 'This address' : formatAddress(address)
  return `escrow: ${what} is not a host that this session may reach. A person can allow it with --allow-host.`
}
