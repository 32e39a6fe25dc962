import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { onTestFinished } from 'vitest'

/** Serves a fetch-style handler on loopback until the test ends. Resolves to its origin. */
export function serveFetch(handler: (request: Request) => Promise<Response>): Promise<string> {
  return serveListener(async (incoming, outgoing) => {
    const headers = new Headers()
    for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value))
    const hasNoBody = incoming.method === 'GET' || incoming.method === 'HEAD'
    const request = new Request(`http://${incoming.headers.host}${incoming.url}`, {
      ...{ method: incoming.method ?? 'GET', headers, duplex: 'half' },
      ...(!hasNoBody && { body: bodyOf(incoming) }),
    })
    const response = await handler(request)
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    outgoing.end(Buffer.from(await response.arrayBuffer()))
  })
}

/** {@link serveFetch} for a listener of `node:http`. */
export async function serveListener(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
}

function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  const chunks = incoming[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(new Uint8Array(value))
    },
    cancel: () => void incoming.resume(),
  })
}
