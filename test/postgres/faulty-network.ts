import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { serveFetch } from '../support/serve-fetch.js'

interface Options {
  /** The hubs behind the balancer. */
  readonly urls: readonly string[]
  readonly random: () => number
  /** How many faults it injects. After them it passes everything on. */
  readonly faults: number
  /** Ends all connections of the hubs with the database, as its restart does. */
  readonly cutConnections: () => void
}

/**
 * The fate of a request: `lost` before the hub, its answer `unheard` or `cut` in the middle, delivered `twice`, or
 * again or for the first time much later, or the database ends its connections.
 */
const FAULTS = ['lost', 'unheard', 'cut', 'twice', 'again later', 'later', 'restart'] as const

/** A balancer before several hubs, with faults. While it listens, each fault is chosen by `random`. */
export async function faultyNetwork({ urls, random, faults, cutConnections }: Options) {
  let left = 0
  const delayed: (() => Promise<unknown>)[] = []
  const url = await serveFetch(async (request) => {
    const { pathname, search } = new URL(request.url)
    const { method } = request
    const authorization = request.headers.get('authorization') ?? ''
    const body = method === 'GET' ? null : await request.arrayBuffer()
    const forward = () => {
      const hub = urls[Math.floor(random() * urls.length)]
      return fetch(`${hub}${pathname}${search}`, { method, headers: { authorization }, body })
    }
    const isFault = pathname !== '/v1/me' && left < faults && random() < 0.4
    if (!isFault) return forward()
    const fault = FAULTS[left++ % FAULTS.length]
    if (fault === 'later' || fault === 'again later') delayed.push(forward)
    if (fault === 'restart') cutConnections()
    if (fault === 'twice' || fault === 'unheard') await forward()
    if (fault === 'lost' || fault === 'later' || fault === 'unheard') return new Response('', { status: 502 })
    const answer = await forward()
    if (fault !== 'cut' || answer.status === 204) return answer
    return new Response((await answer.text()).slice(0, -1), { status: answer.status })
  })
  return {
    url,
    injected: () => left,
    /** Delivers the delayed requests, newest first. Nobody receives the answers. */
    async deliverDelayed(): Promise<void> {
      for (const deliver of delayed.splice(0).reverse()) await deliver()
    },
  }
}

/** Another address of a database. `cut` ends every connection that goes through it. */
export async function faultyLine(database: string): Promise<{ readonly url: string; cut(): void }> {
  const { hostname, port } = new URL(database)
  const open = new Set<Socket>()
  const cut = () => {
    for (const socket of open) socket.destroy()
  }
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket)
      // A reset is followed by 'close'.
      socket.on('error', () => undefined)
      socket.on('close', () => {
        open.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    cut()
    server.close()
  })
  const address = server.address()
  const url = new URL(database)
  url.port = String(typeof address === 'object' && address !== null ? address.port : 0)
  return { url: url.href, cut }
}
