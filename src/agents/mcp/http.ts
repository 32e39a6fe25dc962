import { getRequestListener } from '@hono/node-server'
import {
  createMcpHandler,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isLegacyRequest,
  type McpHttpHandler,
  type RequestId,
} from '@modelcontextprotocol/server'
import { bearerOf, errorText, foreignTo, isSameSecret, listenOnLoopback, newToken } from '../../surface/index.js'
import { type McpHost, newSessionId } from './host.js'
import { readBody, rpcError, type SentBody } from './http-body.js'
import { errorResponse, HttpClients } from './http-clients.js'
import { type Answer, HttpSlots } from './http-slots.js'
import { cancelledBy, INVALID_REQUEST, isCall, MAX_RUNNING } from './limited-transport.js'

/** Where to listen, always on 127.0.0.1. */
export interface HttpOptions {
  /** Default: a free port. */
  readonly port?: number
}

/** A listening server. */
export interface McpHttp {
  /** The address with the token, for a client's settings. */
  readonly url: string
  close(): Promise<void>
}

/** Serves a host's clients over streamable HTTP on loopback. Requests need the token, and web pages are refused. */
export async function serveMcpHttp(host: McpHost, { port = 0 }: HttpOptions = {}): Promise<McpHttp> {
  const token = newToken()
  const clients = new HttpClients(host)
  const modern = modernHandler(host)
  const slots = new HttpSlots()
  const listener = (at: number) => {
    const answer = async (request: Request, { outgoing }: { readonly outgoing: Answer }): Promise<Response> => {
      const refusal = refusalOf(request, at, token)
      if (refusal !== undefined) return errorResponse(...refusal)
      try {
        const received = request.method === 'POST' ? await readBody(request) : undefined
        if (received instanceof Response) return received
        const sent = received && (await admit(slots, request, received, outgoing))
        if (sent instanceof Response) return sent
        const isLegacy = await isLegacyRequest(request, sent?.parsedBody)
        return await (isLegacy ? clients.handle(request, sent) : modern.fetch(request, sent))
      } catch (error) {
        return errorResponse(500, errorText(error))
      }
    }
    return getRequestListener(answer, { overrideGlobalObjects: false })
  }
  const server = await listenOnLoopback(listener, { port })
  return {
    url: `http://127.0.0.1:${server.port}/mcp?token=${token}`,
    async close() {
      await Promise.all([clients.close(), modern.close()])
      await server.close()
    },
  }
}

/** Waits until the calls of a request may begin. Returns what is to be done, without cancelled calls, or else the answer. */
async function admit(
  slots: HttpSlots,
  { headers, url }: Request,
  sent: SentBody,
  outgoing: Answer,
): Promise<SentBody | Response> {
  const messages = [sent.parsedBody].flat()
  const client = headers.get('mcp-session-id') ?? `session=${new URL(url).searchParams.get('session') ?? ''}`
  for (const message of messages.filter(isJSONRPCNotification)) {
    const id = cancelledBy(message)
    if (id !== undefined) slots.cancel(client, id)
  }
  const ids = messages.flatMap((message) => callOf(message) ?? [])
  if (ids.length === 0) return sent
  if (ids.length > MAX_RUNNING)
    return rpcError(400, INVALID_REQUEST, `A batch has at most ${MAX_RUNNING} calls. Send each call by itself.`)
  const wanted = await slots.enter(client, ids, outgoing)
  if (ids.every((id) => wanted.has(id))) return sent
  const left = messages.filter((message) => {
    const id = callOf(message)
    return id === undefined || wanted.has(id)
  })
  return left.length === 0 || outgoing.destroyed ? new Response(null, { status: 202 }) : { parsedBody: left }
}

/** The id of a call whose answer can be large. */
function callOf(message: unknown): RequestId | undefined {
  return isJSONRPCRequest(message) && isCall(message) ? message.id : undefined
}

/**
 * From 2026-07-28 on there are no connections to identify a session: the address may have one (`session=`), else all clients share one.
 */
function modernHandler(host: McpHost): McpHttpHandler {
  const common = newSessionId()
  const handler = createMcpHandler(
    async ({ requestInfo }) => {
      const sessionName = requestInfo && new URL(requestInfo.url).searchParams.get('session')
      return (await host.serve({ isModern: true, isBrief: true, session: sessionName || (host.session ?? common) }))
        .server
    },
    { legacy: 'reject' },
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

function refusalOf({ url: address, headers }: Request, port: number, token: string): [number, string] | undefined {
  const url = new URL(address)
  const foreign = foreignTo(port, { host: headers.get('host') ?? url.host, origin: headers.get('origin') ?? undefined })
  if (foreign !== undefined) return [403, foreign]
  const received = bearerOf(headers.get('authorization') ?? undefined) ?? url.searchParams.get('token') ?? ''
  if (!isSameSecret(received, token))
    return [401, 'The token is missing or wrong. Use the address that `escrow mcp --http` prints.']
  return url.pathname === '/mcp' ? undefined : [404, 'The only path here is /mcp.']
}
