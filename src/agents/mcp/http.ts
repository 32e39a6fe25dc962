import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { createMcpHandler, isLegacyRequest, type McpHttpHandler } from '@modelcontextprotocol/server'
import { type McpHost, newSessionName } from './host.js'
import { BODY, HttpClients, refused } from './http-clients.js'

export interface HttpOptions {
  /** A free one unless told. */
  readonly port?: number
}

export interface McpHttp {
  /** With the token, for a client's settings. */
  readonly url: string
  close(): Promise<void>
}

/** Serves a host's clients over streamable HTTP, on loopback, to who has the token and comes from no other site. */
export async function serveMcpHttp(host: McpHost, { port = 0 }: HttpOptions = {}): Promise<McpHttp> {
  const token = randomBytes(32).toString('base64url')
  const clients = new HttpClients(host)
  const modern = modernHandler(host)
  const portNow = () => {
    const address = server.address()
    return typeof address === 'object' && address !== null ? address.port : port
  }
  const answer = async (request: Request): Promise<Response> => {
    const refusal = refusalOf(request, portNow(), token)
    if (refusal !== undefined) return refused(...refusal)
    try {
      const isLegacy = await isLegacyRequest(request, undefined, { maxRequestBodySize: BODY })
      return await (isLegacy ? clients.handle(request) : modern.fetch(request))
    } catch (error) {
      return refused(500, error instanceof Error ? error.message : String(error))
    }
  }
  const server = createServer(getRequestListener(answer, { overrideGlobalObjects: false }))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${portNow()}/mcp?token=${token}`,
    async close() {
      await Promise.all([clients.close(), modern.close()])
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

/**
 * From 2026-07-28 on there are no connections, so no client has a session by having one: its address names it (`session=`), else all work in one.
 */
function modernHandler(host: McpHost): McpHttpHandler {
  const common = newSessionName()
  const handler = createMcpHandler(
    async ({ requestInfo }) => {
      const named = requestInfo && new URL(requestInfo.url).searchParams.get('session')
      return (await host.serve({ isModern: true, isBrief: true, session: named || (host.session ?? common) })).server
    },
    { legacy: 'reject', maxRequestBodySize: BODY },
  )
  const end = host.watch(({ sessions, intents }) => {
    if (intents || sessions.length > 0) handler.notify.resourcesChanged()
    for (const id of sessions) {
      handler.notify.resourceUpdated(`stage://${encodeURIComponent(id)}/diff`)
      handler.notify.resourceUpdated(`trace://${encodeURIComponent(id)}`)
    }
  })
  return {
    ...handler,
    close: async () => {
      end()
      await handler.close()
    },
  }
}

/** A page of another site can make a browser ask, but neither under our name nor with the token. */
function refusalOf({ url: address, headers }: Request, port: number, token: string): [number, string] | undefined {
  const names = [`127.0.0.1:${port}`, `localhost:${port}`]
  const url = new URL(address)
  const [origin, authorization] = [headers.get('origin'), headers.get('authorization') ?? '']
  if (!names.includes(headers.get('host') ?? url.host)) return [403, 'This is not the host it was asked as.']
  if (origin !== null && !names.some((name) => origin === `http://${name}`)) return [403, 'No other site may ask.']
  const given = /^Bearer (.+)$/i.exec(authorization)?.[1] ?? url.searchParams.get('token') ?? ''
  if (!isSame(given, token)) return [401, 'The token is missing or wrong.']
  return url.pathname === '/mcp' ? undefined : [404, 'There is /mcp and nothing else.']
}

function isSame(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)]
  return a.length === b.length && timingSafeEqual(a, b)
}
