import type { JSONRPCMessage, RequestId, Transport } from '@modelcontextprotocol/server'
import { SerialQueue } from '../../surface/index.js'

/** The most calls of a client that run at a time. Others wait. */
export const MAX_RUNNING = 16
/** JSON-RPC's code for an invalid request. */
export const INVALID_REQUEST = -32_600
/** JSON-RPC's code for text that is not JSON. */
export const PARSE_ERROR = -32_700
/** The requests whose answers can be large. */
const CALLS: readonly string[] = ['tools/call', 'resources/read']

/**
 * Limits what a client that sends many calls, and reads no answers, makes this process hold: some calls run at a time, each until its
 * answer is written, and one message is written at a time. Node writes all that waits in one operation, and fails from 2 GiB on.
 *
 * Notifications and answers of the client are never held back: a call that waits for a person needs them.
 */
export class LimitedTransport implements Transport {
  onclose?: Transport['onclose']
  onerror?: Transport['onerror']
  onmessage?: Transport['onmessage']
  readonly #running = new Set<RequestId>()
  readonly #waiting: Call[] = []
  readonly #writes = new SerialQueue()

  constructor(
    private readonly inner: Transport,
    private readonly limit = MAX_RUNNING,
  ) {}

  start(): Promise<void> {
    this.inner.onclose = () => this.onclose?.()
    this.inner.onerror = (error) => this.onerror?.(error)
    this.inner.onmessage = (message) => this.#receive(message)
    return this.inner.start()
  }

  async send(message: JSONRPCMessage): Promise<void> {
    try {
      await this.#writes.run(() => this.inner.send(message))
    } finally {
      if (!('method' in message) && message.id !== undefined) this.#end(message.id)
    }
  }

  close(): Promise<void> {
    return this.inner.close()
  }

  #receive(message: JSONRPCMessage): void {
    const cancelled = cancelledBy(message)
    if (cancelled !== undefined) this.#cancel(cancelled, message)
    else if (!isCall(message)) this.onmessage?.(message)
    else if (this.#running.has(message.id) || this.#waiting.some(({ id }) => id === message.id))
      this.#refuse(message.id)
    else if (this.#running.size < this.limit) this.#begin(message)
    else this.#waiting.push(message)
  }

  #begin(call: Call): void {
    this.#running.add(call.id)
    this.onmessage?.(call)
  }

  /** Two calls with one id could not be told apart: a cancellation would end the later one only. */
  #refuse(id: RequestId): void {
    const error = { code: INVALID_REQUEST, message: `A call with the id ${JSON.stringify(id)} is still running.` }
    void this.#writes.run(() => this.inner.send({ jsonrpc: '2.0', id, error })).catch(() => undefined)
  }

  /** A cancelled call has no answer. One that waits never begins. */
  #cancel(id: RequestId, message: JSONRPCMessage): void {
    const at = this.#waiting.findIndex((call) => call.id === id)
    if (at !== -1) this.#waiting.splice(at, 1)
    else {
      this.onmessage?.(message)
      this.#end(id)
    }
  }

  #end(id: RequestId): void {
    if (!this.#running.delete(id)) return
    const next = this.#waiting.shift()
    if (next !== undefined) this.#begin(next)
  }
}

type Call = JSONRPCMessage & { readonly id: RequestId; readonly method: string }

/** Whether a message is a call whose answer can be large. */
export function isCall(message: JSONRPCMessage): message is Call {
  return 'method' in message && 'id' in message && CALLS.includes(message.method)
}

/** The id of the request that a message cancels. */
export function cancelledBy(message: JSONRPCMessage): RequestId | undefined {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return undefined
  const id = message.params?.requestId
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}
