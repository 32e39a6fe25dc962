import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type RequestId,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { rpcError, type SentBody } from './http-body.js'
import { cancelledBy, INVALID_REQUEST } from './limited-transport.js'

/** The library's transport, which knows the calls that run. It mixes up the answers of calls with one id. */
export class HttpTransport extends WebStandardStreamableHTTPServerTransport {
  readonly #running = new Set<RequestId>()
  /** When the client last sent something or got an answer, by the monotonic clock. */
  lastSeen = performance.now()

  get isIdle(): boolean {
    return this.#running.size === 0
  }

  /** @param sent the body of the request; undefined if it has none */
  async answer(request: Request, sent: SentBody | undefined): Promise<Response> {
    this.lastSeen = performance.now()
    const messages = sent === undefined ? [] : [sent.parsedBody].flat()
    const calls = messages.filter(isJSONRPCRequest).map(({ id }) => id)
    const running = calls.find((id) => this.#running.has(id))
    if (running !== undefined)
      return rpcError(400, INVALID_REQUEST, `A call with the id ${JSON.stringify(running)} is still running.`)
    const repeated = calls.find((id, at) => calls.indexOf(id) !== at)
    if (repeated !== undefined)
      return rpcError(400, INVALID_REQUEST, `Two calls of this batch have the id ${JSON.stringify(repeated)}.`)
    for (const id of calls) this.#running.add(id)
    let isAccepted = false
    try {
      const response = await this.handleRequest(request, sent)
      isAccepted = response.ok
      return response
    } finally {
      // A cancelled call has no answer.
      const ended = isAccepted ? messages.filter(isJSONRPCNotification).map(cancelledBy) : calls
      for (const id of ended) if (id !== undefined) this.#running.delete(id)
    }
  }

  override async send(message: JSONRPCMessage, options?: { readonly relatedRequestId?: RequestId }): Promise<void> {
    try {
      await super.send(message, options)
    } finally {
      if (!('method' in message) && message.id !== undefined) this.#running.delete(message.id)
      this.lastSeen = performance.now()
    }
  }
}
