import { lookup as resolveName } from 'node:dns'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { connect, type LookupFunction, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type Address, type AllowedHosts, parseAddress } from './allowed-hosts.js'

/** Largest number of refused addresses that are listed. */
const MAX_REFUSED = 100
/** Milliseconds to connect to a host. */
const CONNECT_MS = 30_000

export interface HostProxy {
  /** Pass it connections by `emit('connection', socket)`, or let it listen. */
  readonly server: Server
  /** The distinct refused addresses, as `host:port`. */
  refused(): string[]
  /** Closes the server and every connection. */
  close(): void
}

/**
 * An HTTP proxy (RFC 9110 §9.3.6 CONNECT, and absolute-form requests for plain HTTP) that reaches only the allowed hosts.
 * It does not inspect tunnels: through a host that serves many names, all of them are reachable.
 */
export function hostProxy(allowed: AllowedHosts): HostProxy {
  const refused = new Set<string>()
  const tunnels = new Set<Duplex>()
  const mayReach = (address: Address | undefined, asked: string): address is Address => {
    if (address !== undefined && allowed.has(address)) return true
    if (refused.size < MAX_REFUSED) refused.add(address === undefined ? asked : formatAddress(address))
    return false
  }
  const server = createServer((incoming, response) => {
    const url = URL.canParse(incoming.url ?? '') ? new URL(incoming.url ?? '') : undefined
    const address = url?.protocol === 'http:' ? parseAddress(url.host, 80) : undefined
    if (!mayReach(address, incoming.headers.host ?? '')) return refuse(response, address)
    forward(incoming, response, { url: url?.href ?? '', lookup: lookupWithin(allowed, address) })
  })
  server.on('connect', (incoming: IncomingMessage, client: Duplex, head: Buffer) => {
    client.on('error', () => client.destroy())
    const address = parseAddress(incoming.url ?? '')
    if (!mayReach(address, incoming.url ?? '')) {
      client.end(
        `HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n${refusalText(address)}\n`,
      )
      return
    }
    tunnel(client, head, connect({ ...address, lookup: lookupWithin(allowed, address), timeout: CONNECT_MS }), tunnels)
  })
  server.on('clientError', (_error, socket) => socket.destroy())
  return {
    server,
    refused: () => [...refused],
    close() {
      server.close()
      server.closeAllConnections()
      for (const each of tunnels) each.destroy()
    },
  }
}

function tunnel(client: Duplex, head: Buffer, upstream: Socket, tunnels: Set<Duplex>): void {
  let isOpen = false
  for (const [end, other] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    tunnels.add(end)
    end.once('close', () => {
      tunnels.delete(end)
      other.destroy()
    })
  }
  upstream.once('timeout', () => upstream.destroy())
  upstream.once('error', (error) => {
    if (isOpen) client.destroy()
    else
      client.end(`HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n${error.message}\n`)
  })
  upstream.once('connect', () => {
    isOpen = true
    upstream.setTimeout(0)
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    if (head.length > 0) upstream.write(head)
    upstream.pipe(client)
    client.pipe(upstream)
  })
}

function forward(
  incoming: IncomingMessage,
  response: ServerResponse,
  { url, lookup }: { readonly url: string; readonly lookup: LookupFunction },
): void {
  const { 'proxy-connection': _hop, 'proxy-authorization': _secret, ...headers } = incoming.headers
  const { host } = new URL(url)
  const upstream = request(url, { method: incoming.method, headers: { ...headers, host }, lookup, timeout: CONNECT_MS })
  upstream.once('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  upstream.once('error', (error) => {
    if (response.headersSent) response.destroy()
    else response.writeHead(502, { 'content-type': 'text/plain' }).end(`${error.message}\n`)
  })
  response.once('close', () => upstream.destroy())
  incoming.pipe(upstream)
}

/** Resolves a name and drops the addresses that `AllowedHosts.mayResolveTo` rejects. */
function lookupWithin(allowed: AllowedHosts, address: Address): LookupFunction {
  return (name, options, done) => {
    resolveName(name, { ...options, all: true }, (error, found) => {
      const usable = (found ?? []).filter(({ address: ip }) => allowed.mayResolveTo(address, ip))
      const [first] = usable
      if (error !== null) done(error, '', 0)
      else if (first === undefined) done(new Error(`${name} resolves to a private address.`), '', 0)
      else if (options.all) done(null, usable)
      else done(null, first.address, first.family)
    })
  }
}

function refuse(response: ServerResponse, address: Address | undefined): void {
  response.writeHead(403, { 'content-type': 'text/plain', connection: 'close' }).end(`${refusalText(address)}\n`)
}

function refusalText(address: Address | undefined): string {
  const what = address === undefined ? 'This address' : formatAddress(address)
  return `escrow: ${what} is not a host that this session may reach. A person can allow it with --allow-host.`
}

function formatAddress({ host, port }: Address): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}
